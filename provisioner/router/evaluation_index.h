// The lookup tables of an Evaluation. Only for evaluation.cc and http_evaluation.cc.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>

#include "provisioner/egress/dialect_patterns.h"
#include "provisioner/router/evaluation.h"

namespace prov::router {

// Squid's rules by what they match; an entry's number is the index of its rule.
class HttpIndex {
 public:
  explicit HttpIndex(const RouterPolicy& policy);

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

struct Evaluation::Index {
  explicit Index(const RouterPolicy& of);

  RouterDecision Explain(const RouterDestination& destination, const KnownAnswers& answers) const;
  RouterDecision Redirect(const RouterDestination& destination) const;
  RouterDecision Dns(const RouterDestination& destination, const KnownAnswers& answers) const;

  const RouterPolicy& policy;
  HttpIndex http;
  std::unordered_map<std::uint32_t, std::size_t> ports;  // protocol and port to rule
  const RedirectRule* fallback = nullptr;
};

// "203.0.113.5:443", "[2001:db8::1]:443", or without a port if it is 0.
std::string WithPort(std::string_view host, std::uint16_t port);
// The source address that servers see; "" if the policy has none.
std::string SourceOf(const RouterPolicy& policy);

}  // namespace prov::router
