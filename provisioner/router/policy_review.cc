#include "provisioner/router/policy_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/router/destinations.h"

namespace prov::router {
namespace {

using Match = HttpRule::Match;

// The rules of an HTTP proxy that were seen so far. A lookup takes one step for each label of a name or each length of
// a prefix, however many rules there are.
class SeenRules {
 public:
  // The earlier rule that matches everything that `rule` matches; nullptr: none.
  const HttpRule* Find(const HttpRule& rule) const {
    if (rule.match == Match::kDomain) return FindName(AsciiLower(rule.text));
    return rule.match == Match::kNetwork ? FindNetwork(*rule.network) : nullptr;
  }

  void Add(const HttpRule& rule) {
    if (rule.match == Match::kDomain) {
      names_.emplace(AsciiLower(rule.text), &rule);
    } else if (rule.match == Match::kNetwork) {
      networks_[{rule.network->prefix(), rule.network->IsIpv4()}].emplace(KeyOf(rule.network->address().bytes()),
                                                                          &rule);
      if (rule.network->prefix() == 0 && every_ == nullptr) every_ = &rule;
    }
  }

 private:
  using Table = std::unordered_map<std::string, const HttpRule*>;

  static std::string KeyOf(const IpAddress::Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

  static const HttpRule* In(const Table& table, const std::string& key) {
    const auto found = table.find(key);
    return found == table.end() ? nullptr : found->second;
  }

  static const HttpRule* Earlier(const HttpRule* first, const HttpRule* second) {
    if (first == nullptr || second == nullptr) return first == nullptr ? second : first;
    return first->line <= second->line ? first : second;
  }

  // The rule for the same name, or for a domain that contains it: ".b.c" contains "b.c", "a.b.c" and ".a.b.c".
  const HttpRule* FindName(const std::string& name) const {
    const HttpRule* out = In(names_, name);
    std::string_view domain = name;
    if (!domain.starts_with('.')) out = Earlier(out, In(names_, "." + name));
    for (std::size_t dot = domain.find('.', 1); dot != std::string_view::npos; dot = domain.find('.', 1)) {
      domain.remove_prefix(dot);
      out = Earlier(out, In(names_, std::string(domain)));
    }
    return out;
  }

  const HttpRule* FindNetwork(const IpNetwork& network) const {
    const HttpRule* out = every_;
    for (const auto& [length, table] : networks_) {
      const auto [prefix, ipv4] = length;
      if (ipv4 != network.IsIpv4() || prefix > network.prefix()) continue;
      IpAddress::Bytes bytes = network.address().bytes();
      for (unsigned bit = prefix + (ipv4 ? 96 : 0); bit < 128; ++bit)
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] & ~(0x80U >> (bit % 8)));
      out = Earlier(out, In(table, KeyOf(bytes)));
    }
    return out;
  }

  Table names_;
  std::map<std::pair<unsigned, bool>, Table> networks_;  // by length and whether it is IPv4
  const HttpRule* every_ = nullptr;                      // 0.0.0.0/0, which also matches IPv6
};

std::string Place(const RouterPolicy& policy, std::size_t line) {
  return fmt::format("{}: line {}", policy.where, line);
}

void FindShadowed(const RouterPolicy& policy, CappedFindings& findings) {
  SeenRules seen;
  for (const HttpRule& rule : policy.http) {
    if (const HttpRule* earlier = seen.Find(rule)) {
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
    seen.Add(rule);
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

bool InNetwork(const IpAddress& address, const SourceAddress& source) {
  const auto network = IpNetwork::Parse(fmt::format("{}/{}", source.address.ToString(), *source.prefix));
  return network && network->Contains(address);
}

// Why the address can't be a router's source, as a noun; "" if it can.
std::string_view UnusableSourceKind(const SourceAddress& source) {
  if (const std::string_view what = ReservedKind(source.address); !what.empty()) return what;
  const unsigned length = source.prefix.value_or(32);
  if (!source.address.IsIpv4() || length > 30) return "";
  std::uint32_t bits = 0;
  for (std::size_t i = 12; i < 16; ++i) bits = bits << 8U | source.address.bytes()[i];
  const std::uint32_t hosts = length == 0 ? ~0U : (1U << (32 - length)) - 1;
  if ((bits & hosts) == 0) return "the network itself, not an address in it";
  return (bits & hosts) == hosts ? "the broadcast address of its network" : "";
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
