#include "provisioner/router/evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::router {
namespace {

std::uint32_t KeyOf(Protocol protocol, std::uint16_t port) {
  return (static_cast<std::uint32_t>(protocol) << 16U) | port;
}

}  // namespace

std::string_view NameOf(Verdict verdict) {
  constexpr std::array<std::string_view, 5> kNames = {"allow", "deny", "forward", "none", "depends"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string WithPort(std::string_view host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  if (port == 0) return std::string(host);
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string SourceOf(const RouterPolicy& policy) { return policy.source ? policy.source->address.ToString() : ""; }

Evaluation::Evaluation(const RouterPolicy& policy) : policy_(policy), http_(policy) {
  for (std::size_t i = 0; i < policy.redirect.size(); ++i) {
    const RedirectRule& rule = policy.redirect[i];
    if (rule.fallback && fallback_ == nullptr) fallback_ = &rule;
    if (!rule.fallback) ports_.emplace(KeyOf(rule.protocol, rule.port), i);  // emplace: the first one counts
  }
  for (std::size_t i = 0; i < policy.dns.size(); ++i) ports_.emplace(KeyOf(Protocol::kTcp, policy.dns[i].port), i);
}

RouterDecision Evaluation::Redirect(const RouterDestination& destination) const {
  const auto found = ports_.find(KeyOf(destination.protocol, destination.port));
  const RedirectRule* rule = found == ports_.end() ? fallback_ : &policy_.redirect[found->second];
  if (rule == nullptr) {
    return {.note = fmt::format("no line has port {} of {}: the router itself gets the packets, and nothing listens",
                                destination.port, NameOf(destination.protocol))};
  }
  RouterDecision out{.verdict = Verdict::kForward, .line = rule->line};
  out.to = rule->misread ? WithPort(rule->misread->ToString(), destination.port)
                         : WithPort(rule->to.ToString(), rule->to_port != 0 ? rule->to_port : destination.port);
  out.source = SourceOf(policy_);
  out.note = rule->fallback ? fmt::format("line {} takes every port that no other line has", rule->line)
                            : fmt::format("line {} has port {} of {}", rule->line, rule->port, NameOf(rule->protocol));
  if (rule->misread) out.note += ", whose target the plugin writes as another address";
  return out;
}

RouterDecision Evaluation::Dns(const RouterDestination& destination, const KnownAnswers& answers) const {
  if (destination.protocol != Protocol::kTcp)
    return {.note =
                fmt::format("the router forwards TCP only, and nothing listens on {}", NameOf(destination.protocol))};
  const auto found = ports_.find(KeyOf(Protocol::kTcp, destination.port));
  if (found == ports_.end())
    return {.note = fmt::format("no line has port {}: nothing listens there", destination.port)};
  const DnsRule& rule = policy_.dns[found->second];
  RouterDecision out{.verdict = Verdict::kForward, .line = rule.line};
  out.to = WithPort(rule.to, rule.to_port);
  out.source = SourceOf(policy_);
  out.note = fmt::format("line {} has port {}", rule.line, rule.port);
  if (!rule.is_name) return out;
  std::string name = AsciiLower(rule.to);
  if (name.ends_with('.')) name.pop_back();
  const auto known = answers.addresses.find(name);
  if (known == answers.addresses.end()) {
    out.note +=
        fmt::format("; which address it is depends on DNS, which haproxy asks every 10 seconds for {}", rule.to);
    return out;
  }
  if (known->second.empty()) {
    return {.line = rule.line,
            .note = fmt::format("line {} has port {}; but {} does not resolve, so haproxy closes the connection",
                                rule.line, rule.port, rule.to)};
  }
  std::vector<std::string> addresses;
  addresses.reserve(known->second.size());
  for (const IpAddress& address : known->second) addresses.push_back(address.ToString());
  out.note += fmt::format("; {} is {}", rule.to, fmt::join(addresses, " or "));
  return out;
}

RouterDecision Evaluation::Explain(const RouterDestination& destination, const KnownAnswers& answers) const {
  switch (policy_.kind) {
    case RouterKind::kRedirect:
      return Redirect(destination);
    case RouterKind::kHttpProxy:
      return http_.Explain(destination, answers);
    case RouterKind::kDnsProxy:
      return Dns(destination, answers);
  }
  return {};
}

}  // namespace prov::router
