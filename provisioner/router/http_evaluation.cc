// Squid's reading of dst and dstdomain. Facts: docs/egress-router.md#squid.
#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/router/evaluation.h"

namespace prov::router {
namespace {

using Match = HttpRule::Match;

// Squid does not treat 0.0.0.0 and :: as addresses when it needs a name.
bool IsAny(const IpAddress& address) {
  const std::string text = address.ToString();
  return text == "0.0.0.0" || text == "::";
}

std::string DescribeRule(const HttpRule& rule) {
  if (rule.match == Match::kAll) return "*";
  return fmt::format("{}{}{}", rule.allow ? "" : "!", rule.text.starts_with('.') ? "*" : "", rule.text);
}

}  // namespace

HttpEvaluation::HttpEvaluation(const RouterPolicy& policy) : policy_(policy) {
  for (std::size_t i = 0; i < policy.http.size(); ++i) {
    const HttpRule& rule = policy.http[i];
    const auto entry = static_cast<Entry>(i);
    if (rule.match == Match::kAll) {
      patterns_.AddAll(entry);
      continue;
    }
    Entry& first = (rule.match == Match::kNetwork ? first_network_ : first_domain_)[rule.allow ? 1 : 0];
    if (rule.match == Match::kDomain) {
      // Squid removes a final dot from requested names, so a rule with one matches nothing.
      const bool below = rule.text.starts_with('.');
      const std::string name = AsciiLower(std::string_view(rule.text).substr(below ? 1 : 0));
      if (name.ends_with('.')) continue;
      patterns_.AddName(name, true, below, entry);
    } else if (rule.network->prefix() == 0) {
      any_address_ = std::min(any_address_, entry);
    } else {
      patterns_.AddNetwork(*rule.network, entry);
    }
    first = std::min(first, entry);
  }
}

HttpEvaluation::Entry HttpEvaluation::FindAddress(const IpAddress& address) const {
  return std::min(any_address_, patterns_.FindAddress(address, egress::FamilyOf(address.IsIpv4())));
}

HttpEvaluation::Found HttpEvaluation::Find(const RouterDestination& destination, const KnownAnswers& answers) const {
  Found out;
  out.rule = patterns_.FindAll();
  const bool ipv6 = destination.host.find(':') != std::string::npos;
  // Squid also compares addresses as text: "*.113.5" matches 203.0.113.5. IPv6 addresses have brackets there.
  if (!ipv6) out.rule = std::min(out.rule, patterns_.FindName(destination.host));
  if (!destination.address) {
    const auto known = answers.addresses.find(destination.host);
    out.addresses_unknown = known == answers.addresses.end();
    if (out.addresses_unknown) return out;
    for (const IpAddress& address : known->second) {
      const Entry rule = FindAddress(address);
      if (rule >= out.rule) continue;
      out.rule = rule;
      out.by_address = address;
    }
    return out;
  }
  out.rule = std::min(out.rule, FindAddress(*destination.address));
  if (IsAny(*destination.address)) return out;
  const auto known = answers.names.find(destination.address->ToString());
  out.name_unknown = known == answers.names.end();
  if (!out.name_unknown)
    out.rule = std::min(out.rule, patterns_.FindName(known->second.empty() ? "none" : known->second));
  return out;
}

RouterDecision HttpEvaluation::Depends(const RouterDestination& destination, const Found& found, Entry first) const {
  const HttpRule& rule = policy_.http[first];
  const std::string otherwise =
      found.rule == kNone
          ? "otherwise no line has it and it is denied"
          : fmt::format("otherwise line {} ({}) {} it", policy_.http[found.rule].line,
                        DescribeRule(policy_.http[found.rule]), policy_.http[found.rule].allow ? "allows" : "denies");
  RouterDecision out{.verdict = Verdict::kDepends, .line = rule.line};
  if (found.addresses_unknown) {
    out.note = fmt::format(
        "depends on the addresses of {}: line {} ({}) {} it when one of them is in there, {}; give "
        "--resolve {}=IP",
        destination.host, rule.line, DescribeRule(rule), rule.allow ? "allows" : "denies", otherwise, destination.host);
  } else {
    out.note = fmt::format(
        "depends on the name that DNS has for {}, which squid looks up: line {} ({}) {} it when the "
        "name is that, {}; give --resolve {}=NAME",
        destination.address->ToString(), rule.line, DescribeRule(rule), rule.allow ? "allows" : "denies", otherwise,
        destination.address->ToString());
  }
  return out;
}

RouterDecision HttpEvaluation::Decided(const RouterDestination& destination, const KnownAnswers& answers,
                                       const Found& found) const {
  RouterDecision out;
  out.verdict = Allows(found.rule) ? Verdict::kAllow : Verdict::kDeny;
  const char* verb = Allows(found.rule) ? "allows" : "denies";
  if (found.rule == kNone) {
    out.note = "no line matches it, so it is denied";
  } else {
    const HttpRule& rule = policy_.http[found.rule];
    out.line = rule.line;
    out.note = fmt::format("line {} ({}) {} it", rule.line, DescribeRule(rule), verb);
    if (found.by_address) out.note += fmt::format(", by its address {}", found.by_address->ToString());
  }
  if (out.verdict != Verdict::kAllow) return out;
  out.to = WithPort(destination.host, destination.port);
  out.source = SourceOf(policy_);
  const auto known = answers.addresses.find(destination.host);
  if (!destination.address && known != answers.addresses.end() && known->second.empty())
    out.note += "; but the name does not resolve, so squid answers 503";
  return out;
}

RouterDecision HttpEvaluation::Explain(const RouterDestination& destination, const KnownAnswers& answers) const {
  const Found found = Find(destination, answers);
  // An earlier rule that needs DNS matters only if it would decide differently.
  const std::size_t other = Allows(found.rule) ? 0 : 1;
  Entry first = kNone;
  if (found.addresses_unknown) first = first_network_[other];
  if (found.name_unknown) first = first_domain_[other];
  return first < found.rule ? Depends(destination, found, first) : Decided(destination, answers, found);
}

}  // namespace prov::router
