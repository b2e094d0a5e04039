// Follows a request to the outside: from a client's decision (proxy or direct) through the egress routers to the source
// address that servers see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/egress/dialect.h"
#include "provisioner/egress/dialect_explain.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/router/evaluation.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

struct RequestPath {
  enum class End {
    kInvalid,  // the client can't use its proxy
    kDirect,   // from the node itself, past the routers
    kUnknown,  // it is unknown which router it takes
    kRouter,   // a router decides: `verdict`
  };

  End end = End::kUnknown;
  Verdict verdict = Verdict::kNone;
  const RouterPolicy* router = nullptr;  // for kRouter: the last router on the path
  std::size_t line = 0;                  // in the router's destinations; 0: none
  std::string to = {};                   // "HOST:PORT"; "" if unknown or there is none
  std::string source = {};               // that servers see; "" if unknown, or if nothing leaves
  std::string note = {};                 // the reason, as text for people

  // "invalid", "direct", "unknown", or the verdict: "allow", "deny", "forward", "none", "depends".
  std::string_view decision() const;
  // Whether the request leaves the cluster, as far as known.
  bool Passes() const;
};

// The routers of a cluster, prepared for many requests.
class RouterChain {
 public:
  RouterChain(std::vector<RouterPolicy> policies, KnownAnswers answers);
  RouterChain(RouterChain&&) noexcept;
  RouterChain& operator=(RouterChain&&) noexcept;
  ~RouterChain();

  // Follows a request. A proxied one takes the router that the proxy's host names (by the name of its object, also with
  // namespace, .svc and .svc.cluster.local, or by its source address); else the only HTTP proxy; else the only router,
  // at the proxy's port. If a router forwards to another router, that one is next. A direct request takes a router only
  // if its own host names one.
  RequestPath Follow(const egress::Destination& to, const egress::ClientDecision& decision) const;

  // Reports why a proxy's URL does not lead to the router that requests are assumed to use: a name that nodes can't
  // resolve, TLS, a port on which nothing listens. Findings: proxy-router, with `where` as the place of the URL.
  void CheckProxy(const egress::ProxyUrl& proxy, std::string_view where, Findings& findings) const;

 private:
  struct Router;
  struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
  };

  const Router* Named(std::string_view host) const;
  const Router* Choose(std::string_view proxy_host) const;
  RequestPath Evaluate(const Router& router, const std::string& destination) const;
  RequestPath Walk(const Router& first, std::uint16_t port, const std::string& asked) const;
  RequestPath FollowDirect(const egress::Destination& to, const std::string& asked) const;
  static Endpoint EndpointOf(std::string_view host_port, std::uint16_t port);

  std::vector<std::unique_ptr<const Router>> routers_;
  KnownAnswers answers_;
};

}  // namespace prov::router
