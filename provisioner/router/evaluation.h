// Evaluates what a router does with a destination: the rule that decides, the target of the traffic, and its source
// address, as squid, nftables and haproxy do it. Pure: if the result depends on DNS, it says so, or uses the given
// answers.
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
  kNone,     // no rule matches: the router itself gets the packets
  kDepends,  // on DNS, or on what `note` says
};
std::string_view NameOf(Verdict verdict);  // "allow", "deny", "forward", "none", "depends"

// A destination. For an HTTP proxy: a URL, a host or an address (with or without a port). For the others: a port of the
// router ("8080", "8080/udp", "HOST:8080").
struct RouterDestination {
  std::string text = {};                  // as given, without a password
  std::string host = {};                  // lower case, without brackets and final dots; an address in canonical form
  std::optional<IpAddress> address = {};  // if the host is one
  std::uint16_t port = 0;                 // 0: not given
  Protocol protocol = Protocol::kTcp;
};
// Errors: usage, with the text as where.
Result<RouterDestination> ParseRouterDestination(RouterKind kind, std::string_view text);

// Known answers of DNS. An empty list: the name is known to have no address.
struct KnownAnswers {
  std::map<std::string, std::vector<IpAddress>, std::less<>> addresses;  // by name, lower case
  std::map<std::string, std::string, std::less<>> names;                 // by address: the reverse lookup; "": none

  // "NAME=IP[,IP]…", "NAME=" (does not resolve), "IP=NAME", "IP=" (has no name). Errors: usage.
  Result<void> Add(std::string_view assignment);
};

struct RouterDecision {
  Verdict verdict = Verdict::kNone;
  std::size_t line = 0;     // of the rule that decides; 0: none
  std::string to = {};      // target, "HOST:PORT" as far as known; "" if there is none
  std::string source = {};  // the source address that servers see; "" if unknown, or if nothing leaves
  std::string note = {};    // the reason, as text for people
};

// A policy prepared for many destinations: each takes a few lookups, however long the policy is.
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

// For a single destination.
RouterDecision Explain(const RouterPolicy& policy, const RouterDestination& destination,
                       const KnownAnswers& answers = {});

}  // namespace prov::router
