// Evaluates what a router does with a destination: the rule that decides, the target of the traffic, and its source
// address, as squid, nftables and haproxy do it. Pure: if the result depends on DNS, it says so, or uses the given
// answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egress/dialect_patterns.h"
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

// Squid's rules by what they match; an entry's number is the index of its rule.
class HttpEvaluation {
 public:
  explicit HttpEvaluation(const RouterPolicy& policy);

  RouterDecision Explain(const RouterDestination& destination, const KnownAnswers& answers) const;

 private:
  using Entry = egress::PatternSet::Entry;
  static constexpr Entry kNone = egress::PatternSet::kNone;

  // What is known about a destination without DNS, and the kinds of rules that need DNS.
  struct Found {
    Entry rule = kNone;                   // the first that matches, as far as known
    bool addresses_unknown = false;       // for a name
    bool name_unknown = false;            // for an address
    std::optional<IpAddress> by_address;  // the address of a name that the rule matched
  };

  Found Find(const RouterDestination& destination, const KnownAnswers& answers) const;
  Entry FindAddress(const IpAddress& address) const;
  RouterDecision Depends(const RouterDestination& destination, const Found& found, Entry first) const;
  RouterDecision Decided(const RouterDestination& destination, const KnownAnswers& answers, const Found& found) const;
  bool Allows(Entry rule) const { return rule != kNone && policy_.http[rule].allow; }

  const RouterPolicy& policy_;
  egress::PatternSet patterns_;
  Entry any_address_ = kNone;  // 0.0.0.0/0
  // The first rule of each kind, by whether it allows: [0] denies, [1] allows.
  std::array<Entry, 2> first_network_ = {kNone, kNone};
  std::array<Entry, 2> first_domain_ = {kNone, kNone};
};

// A policy prepared for many destinations: each takes a few lookups, however long the policy is.
class Evaluation {
 public:
  // `policy` must outlive it.
  explicit Evaluation(const RouterPolicy& policy);

  RouterDecision Explain(const RouterDestination& destination, const KnownAnswers& answers = {}) const;

 private:
  RouterDecision Redirect(const RouterDestination& destination) const;
  RouterDecision Dns(const RouterDestination& destination, const KnownAnswers& answers) const;

  const RouterPolicy& policy_;
  HttpEvaluation http_;
  std::unordered_map<std::uint32_t, std::size_t> ports_;  // protocol and port to rule
  const RedirectRule* fallback_ = nullptr;
};

// "203.0.113.5:443", "[2001:db8::1]:443", or without a port if it is 0.
std::string WithPort(std::string_view host, std::uint16_t port);
// The source address that servers see; "" if the policy has none.
std::string SourceOf(const RouterPolicy& policy);

}  // namespace prov::router
