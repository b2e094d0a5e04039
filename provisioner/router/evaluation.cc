#include "provisioner/router/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/router/evaluation_index.h"

namespace prov::router {
namespace {

std::uint32_t KeyOf(Protocol protocol, std::uint16_t port) {
  return (static_cast<std::uint32_t>(protocol) << 16U) | port;
}

}  // namespace

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllow:
      return "allow";
    case Verdict::kDeny:
      return "deny";
    case Verdict::kForward:
      return "forward";
    case Verdict::kNone:
      return "none";
    case Verdict::kDepends:
      return "depends";
  }
  return "";
}

std::string WithPort(std::string_view host, std::uint16_t port) {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  if (port == 0) return std::string(host);
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string SourceOf(const RouterPolicy& policy) { return policy.source ? policy.source->address.ToString() : ""; }

Evaluation::Index::Index(const RouterPolicy& of) : policy(of), http(of) {
  for (std::size_t i = 0; i < of.redirect.size(); ++i) {
    const RedirectRule& rule = of.redirect[i];
    if (rule.fallback && fallback == nullptr) fallback = &rule;
    if (!rule.fallback) ports.emplace(KeyOf(rule.protocol, rule.port), i);  // emplace: the first one counts
  }
  for (std::size_t i = 0; i < of.dns.size(); ++i) ports.emplace(KeyOf(Protocol::kTcp, of.dns[i].port), i);
}

RouterDecision Evaluation::Index::Redirect(const RouterDestination& destination) const {
  const auto found = ports.find(KeyOf(destination.protocol, destination.port));
  const RedirectRule* rule = found == ports.end() ? fallback : &policy.redirect[found->second];
  if (rule == nullptr) {
    return {.note = fmt::format("no line has port {} of {}: the router itself gets the packets, and nothing listens",
                                destination.port, NameOf(destination.protocol))};
  }
  RouterDecision out{.verdict = Verdict::kForward, .line = rule->line};
  out.to = WithPort(rule->to.ToString(), rule->to_port != 0 ? rule->to_port : destination.port);
  out.source = SourceOf(policy);
  out.note = rule->fallback ? fmt::format("line {} takes every port that no other line has", rule->line)
                            : fmt::format("line {} has port {} of {}", rule->line, rule->port, NameOf(rule->protocol));
  return out;
}

RouterDecision Evaluation::Index::Dns(const RouterDestination& destination, const KnownAnswers& answers) const {
  if (destination.protocol != Protocol::kTcp)
    return {.note =
                fmt::format("the router forwards TCP only, and nothing listens on {}", NameOf(destination.protocol))};
  const auto found = ports.find(KeyOf(Protocol::kTcp, destination.port));
  if (found == ports.end())
    return {.note = fmt::format("no line has port {}: nothing listens there", destination.port)};
  const DnsRule& rule = policy.dns[found->second];
  RouterDecision out{.verdict = Verdict::kForward, .line = rule.line};
  out.to = WithPort(rule.to, rule.to_port);
  out.source = SourceOf(policy);
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

RouterDecision Evaluation::Index::Explain(const RouterDestination& destination, const KnownAnswers& answers) const {
  switch (policy.kind) {
    case RouterKind::kRedirect:
      return Redirect(destination);
    case RouterKind::kHttpProxy:
      return http.Explain(destination, answers);
    case RouterKind::kDnsProxy:
      return Dns(destination, answers);
  }
  return {};
}

Evaluation::Evaluation(const RouterPolicy& policy) : index_(std::make_unique<const Index>(policy)) {}
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation::~Evaluation() = default;

RouterDecision Evaluation::Explain(const RouterDestination& destination, const KnownAnswers& answers) const {
  return index_->Explain(destination, answers);
}

RouterDecision Explain(const RouterPolicy& policy, const RouterDestination& destination, const KnownAnswers& answers) {
  return Evaluation(policy).Explain(destination, answers);
}

}  // namespace prov::router
