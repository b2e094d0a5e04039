// What a router does with a destination: which rule decides, where the traffic goes and with which address, as squid,
// nftables and haproxy do it. Pure: if the result depends on DNS, it says so, or uses the answers that are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

enum class Verdict {
  kAllow,    // the proxy makes the request
  kDeny,     // the proxy answers 403
  kForward,  // the packets go to `to`
  kNone,     // no rule: the router itself gets them
  kDepends,  // on DNS, or on what `note` says
};
std::string_view NameOf(Verdict verdict);  // "allow", "deny", "forward", "none", "depends"

// The destination: for an HTTP proxy a URL, a host or an address (with or without a port); for the others a port of the
// router ("8080", "8080/udp", "HOST:8080").
struct RouterDestination {
  std::string text = {};                  // as given, without a password
  std::string host = {};                  // lower case, without brackets and final dots; an address in its usual form
  std::optional<IpAddress> address = {};  // of a host that is one
  std::uint16_t port = 0;                 // 0: not given
  Protocol protocol = Protocol::kTcp;
};
// Errors: usage, with the text as where.
Result<RouterDestination> ParseRouterDestination(RouterKind kind, std::string_view text);

// The known answers of DNS. An empty list: it is known that there is none.
struct KnownAnswers {
  std::map<std::string, std::vector<IpAddress>, std::less<>> addresses;  // by name, lower case
  std::map<std::string, std::string, std::less<>> names;                 // by address: the reverse look-up, "" for none

  // "NAME=IP[,IP]…", "NAME=" (does not resolve), "IP=NAME", "IP=" (has no name). Errors: usage.
  Result<void> Add(std::string_view assignment);
};

struct RouterDecision {
  Verdict verdict = Verdict::kNone;
  std::size_t line = 0;     // of the rule that decides; 0: none does
  std::string to = {};      // where the traffic goes, "HOST:PORT" as far as it is known; "" where it goes nowhere
  std::string source = {};  // the address that the outside sees; "" where it is not known or nothing leaves
  std::string note = {};    // why, for a person
};

// A policy prepared for many destinations: each takes the time of a few look-ups, however long the policy is.
class Evaluation {
 public:
  // `policy` must outlive it.
  explicit Evaluation(const RouterPolicy& policy);
  Evaluation(Evaluation&&) noexcept;
  ~Evaluation();

  RouterDecision Explain(const RouterDestination& destination, const KnownAnswers& answers = {}) const;

 private:
  struct Index;
  std::unique_ptr<const Index> index_;
};

// The same for a single destination.
RouterDecision Explain(const RouterPolicy& policy, const RouterDestination& destination,
                       const KnownAnswers& answers = {});

}  // namespace prov::router
