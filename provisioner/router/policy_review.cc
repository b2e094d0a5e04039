#include "provisioner/router/policy_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/dialect_patterns.h"

namespace prov::router {
namespace {

using Match = HttpRule::Match;

// The rules of an HTTP proxy that were seen so far; an entry's number is the index of its rule.
class SeenRules {
 public:
  using Entry = egress::PatternSet::Entry;
  static constexpr Entry kNone = egress::PatternSet::kNone;

  // The first rule that matches everything that `rule` matches; kNone if there is none.
  Entry Find(const HttpRule& rule) const {
    // No rule has a star, so only rules for all names below the domain match this name.
    if (rule.match == Match::kDomain) return patterns_.FindName((IsDomain(rule) ? "*." : "") + NameOf(rule));
    if (rule.match == Match::kAll) return kNone;
    return std::min(every_, patterns_.FindNetwork(*rule.network));
  }

  void Add(const HttpRule& rule, Entry entry) {
    if (rule.match == Match::kDomain) {
      patterns_.AddName(NameOf(rule), true, IsDomain(rule), entry);
    } else if (rule.match == Match::kNetwork) {
      patterns_.AddNetwork(*rule.network, entry);
      if (rule.network->prefix() == 0) every_ = std::min(every_, entry);
    }
  }

 private:
  static bool IsDomain(const HttpRule& rule) { return rule.text.starts_with('.'); }
  static std::string NameOf(const HttpRule& rule) { return AsciiLower(rule.text).substr(IsDomain(rule) ? 1 : 0); }

  egress::PatternSet patterns_;
  Entry every_ = kNone;  // 0.0.0.0/0, which also matches IPv6
};

std::string Place(const RouterPolicy& policy, std::size_t line) {
  return fmt::format("{}: line {}", policy.where, line);
}

void FindShadowed(const RouterPolicy& policy, CappedFindings& findings) {
  SeenRules seen;
  for (std::size_t i = 0; i < policy.http.size(); ++i) {
    const HttpRule& rule = policy.http[i];
    if (const SeenRules::Entry found = seen.Find(rule); found != SeenRules::kNone) {
      const HttpRule* earlier = &policy.http[found];
      const char* verb = earlier->allow ? "allows" : "denies";
      findings.Warn(
          "router-shadowed",
          rule.allow == earlier->allow
              ? fmt::format("line {} {} all that line {} has, so this line changes nothing", earlier->line, verb,
                            rule.line)
              : fmt::format("line {} already {} every destination of this line, which should {} it; the first "
                            "matching line decides: put this line before it",
                            earlier->line, verb, rule.allow ? "allow" : "deny"),
          Place(policy, rule.line));
    }
    seen.Add(rule, static_cast<SeenRules::Entry>(i));
  }
  // Only for an EgressRouter: the scripts refuse a repeated port.
  std::map<std::pair<Protocol, std::uint16_t>, std::size_t> ports;
  for (const RedirectRule& rule : policy.redirect) {
    if (rule.fallback) continue;
    const auto [earlier, fresh] = ports.emplace(std::pair(rule.protocol, rule.port), rule.line);
    if (fresh) continue;
    findings.Warn("router-shadowed",
                  fmt::format("rule {} has port {} of {} already, so this one is never reached", earlier->second,
                              rule.port, NameOf(rule.protocol)),
                  Place(policy, rule.line));
  }
}

// Its prefix must be known.
std::optional<IpNetwork> NetworkOf(const SourceAddress& source) {
  return IpNetwork::Parse(fmt::format("{}/{}", source.address.ToString(), *source.prefix));
}

bool InNetwork(const IpAddress& address, const SourceAddress& source) {
  const auto network = NetworkOf(source);
  return network && network->Contains(address);
}

// Why the address can't be a router's source, as a noun; "" if it can.
std::string_view UnusableSourceKind(const SourceAddress& source) {
  const auto network = source.prefix ? NetworkOf(source) : std::nullopt;
  return network ? ReservedKind(source.address, *network) : ReservedKind(source.address);
}

void ReviewAddresses(const RouterPolicy& policy, const std::vector<IpNetwork>& node_networks, Findings& out) {
  if (policy.gateway) {
    if (const std::string_view what = ReservedKind(*policy.gateway); !what.empty())
      AddWarning(out, "router-gateway", fmt::format("the gateway {} is {}", policy.gateway->ToString(), what),
                 policy.where);
  }
  if (!policy.source) return;
  if (const std::string_view what = UnusableSourceKind(*policy.source); !what.empty()) {
    const std::string prefix = policy.source->prefix ? fmt::format("/{}", *policy.source->prefix) : "";
    AddWarning(out, "router-source",
               fmt::format("the source address {}{} is {}: give one that is free for the router",
                           policy.source->address.ToString(), prefix, what),
               policy.where);
  }
  const std::string source = policy.source->address.ToString();
  const unsigned most = policy.source->address.IsIpv4() ? 32 : 128;
  if (policy.gateway && *policy.gateway == policy.source->address) {
    AddWarning(out, "router-gateway", fmt::format("the gateway {} is the source address itself", source), policy.where);
  } else if (policy.gateway && policy.source->prefix && *policy.source->prefix < most &&
             !InNetwork(*policy.gateway, *policy.source)) {
    AddWarning(out, "router-gateway",
               fmt::format("the gateway {} is not in the network {}/{} of the source address",
                           policy.gateway->ToString(), source, *policy.source->prefix),
               policy.where);
  }
  const bool inside = std::ranges::any_of(
      node_networks, [&](const IpNetwork& network) { return network.Contains(policy.source->address); });
  if (!node_networks.empty() && !inside) {
    AddWarning(out, "router-source",
               fmt::format("the source address {} is in none of the networks of the nodes, so no answer comes back to "
                           "it",
                           source),
               policy.where);
  }
}

}  // namespace

void ReviewPolicy(const RouterPolicy& policy, const std::vector<IpNetwork>& node_networks, Findings& out) {
  {
    CappedFindings capped(out, policy.where);
    FindShadowed(policy, capped);
  }
  const std::string_view variable = VariableOf(policy.kind);
  const std::size_t bytes = variable.size() + 1 + policy.text.size();
  if (bytes > kMostVariableBytes) {
    AddWarning(out, "router-size",
               fmt::format("{} takes {} bytes, and Linux gives a program at most {}: the router's container does not "
                           "start",
                           variable, bytes, kMostVariableBytes),
               policy.where);
  }
  ReviewAddresses(policy, node_networks, out);
}

}  // namespace prov::router
