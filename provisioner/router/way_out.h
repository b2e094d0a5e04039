// The path of a request to the outside: from a client's decision (proxy or direct) through the egress routers to the
// address that the outside sees.
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

struct WayOut {
  enum class End {
    kInvalid,  // the client can't use its proxy
    kDirect,   // past the routers, from the node itself
    kUnknown,  // which of the routers it takes is not told
    kRouter,   // a router decides: `verdict`
  };

  End end = End::kUnknown;
  Verdict verdict = Verdict::kNone;
  const RouterPolicy* router = nullptr;  // of kRouter: the last one that is asked
  std::size_t line = 0;                  // of the router's destinations; 0: none
  std::string to = {};                   // "HOST:PORT"; "" where it goes nowhere or that is not known
  std::string source = {};               // that the outside sees; "" where it is not known or nothing leaves
  std::string note = {};                 // why, for a person

  // "invalid", "direct", "unknown", or the verdict: "allow", "deny", "forward", "none", "depends".
  std::string_view decision() const;
  // Whether the request gets out, as far as it is known.
  bool Passes() const;
};

// The routers of a cluster, asked for many requests.
class RouterChain {
 public:
  RouterChain(std::vector<RouterPolicy> policies, KnownAnswers answers);
  RouterChain(RouterChain&&) noexcept;
  RouterChain& operator=(RouterChain&&) noexcept;
  ~RouterChain();

  // A proxied request takes the router that the proxy's host names (by its object's name, also with namespace, .svc and
  // .svc.cluster.local, or by its source address); else the only HTTP proxy; else the only router, at the proxy's port.
  // Where a router forwards it to another one, that is asked next. A direct one takes a router only if its own host
  // names one.
  WayOut Follow(const egress::Destination& to, const egress::ClientDecision& decision) const;

  // Why a proxy's URL does not lead to the router that requests are assumed to use: a name that nodes can't resolve,
  // TLS, a port on which nothing listens. Findings: proxy-router. `where` names the URL in them.
  void CheckProxy(const egress::ProxyUrl& proxy, std::string_view where, Findings& findings) const;

 private:
  struct Router;
  struct Endpoint {
    std::string host;
    std::uint16_t port = 0;
  };

  const Router* Named(std::string_view host) const;
  const Router* Choose(std::string_view proxy_host) const;
  WayOut Ask(const Router& router, const std::string& destination) const;
  WayOut Walk(const Router& first, std::uint16_t port, const std::string& asked) const;
  WayOut FollowDirect(const egress::Destination& to, const std::string& asked) const;
  static Endpoint EndpointOf(std::string_view host_port, std::uint16_t port);

  std::vector<std::unique_ptr<const Router>> routers_;
  KnownAnswers answers_;
};

}  // namespace prov::router
