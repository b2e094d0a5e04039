#include "provisioner/egressip/egress_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/json.h"
#include "provisioner/base/text.h"

namespace prov::egressip {
namespace {

using source::ObjectView;

struct Identity {
  std::string name;
  std::string name_space;
};

Result<Identity> IdentityOf(const ObjectView& object) {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  Identity out;
  if (metadata) {
    out.name = PROV_TRY(metadata->TextOr("name", ""));
    out.name_space = PROV_TRY(metadata->TextOr("namespace", ""));
  }
  if (!out.name.empty()) return out;
  return Fail(Code::kInvalidConfig, "the object has no name", object.At("metadata"));
}

Result<IpNetwork> NetworkAt(const ObjectView& object, std::string_view name, std::string_view text) {
  const auto network = IpNetwork::Parse(text);
  if (network) return *network;
  return Fail(Code::kInvalidConfig, fmt::format("\"{}\" is not a network such as 203.0.113.0/24", Shorten(text)),
              object.At(name));
}

Result<std::uint16_t> PortAt(const ObjectView& port, std::string_view name) {
  const JsonValue* value = port.Find(name);
  if (value == nullptr) return std::uint16_t{0};
  if (!value->IsUint() || value->GetUint() > 65535)
    return Fail(Code::kInvalidConfig, "the port is not a number of 0 to 65535", port.At(name));
  return static_cast<std::uint16_t>(value->GetUint());
}

// A port with a name is one of a pod, which nothing outside of the cluster has.
Result<std::optional<PolicyPort>> ReadPort(const ObjectView& port) {
  PolicyPort out;
  out.protocol = AsciiUpper(PROV_TRY(port.TextOr("protocol", "TCP")));
  if (const JsonValue* value = port.Find("port"); value != nullptr && value->IsString()) return std::nullopt;
  out.first = PROV_TRY(PortAt(port, "port"));
  out.last = std::max(out.first, PROV_TRY(PortAt(port, "endPort")));
  return out;
}

Result<EgressFirewallRule> ReadRule(const ObjectView& rule) {
  EgressFirewallRule out;
  const std::string_view type = PROV_TRY(rule.TextOr("type", ""));
  if (type != "Allow" && type != "Deny")
    return Fail(Code::kInvalidConfig, fmt::format("the type is Allow or Deny, not \"{}\"", Shorten(type)),
                rule.At("type"));
  out.allow = type == "Allow";
  const auto to = PROV_TRY(rule.Object("to"));
  if (!to) return Fail(Code::kInvalidConfig, "the rule has no destination", rule.At("to"));
  if (const std::string_view cidr = PROV_TRY(to->TextOr("cidrSelector", "")); !cidr.empty())
    out.network = PROV_TRY(NetworkAt(*to, "cidrSelector", cidr));
  out.dns_name = AsciiLower(PROV_TRY(to->TextOr("dnsName", "")));
  if (out.dns_name.ends_with('.')) out.dns_name.pop_back();
  for (const ObjectView& port : PROV_TRY(rule.Objects("ports"))) {
    if (const auto read = PROV_TRY(ReadPort(port))) out.ports.push_back(*read);
  }
  return out;
}

Result<void> AddPeer(const ObjectView& peer, NetworkPolicyRule& out) {
  const auto block = PROV_TRY(peer.Object("ipBlock"));
  if (!block) return {};  // pods of the cluster
  const std::string_view cidr = PROV_TRY(block->TextOr("cidr", ""));
  const IpNetwork network = PROV_TRY(NetworkAt(*block, "cidr", cidr));
  NetworkPolicyBlock read{.network = network};
  if (const auto except = PROV_TRY(block->Texts("except"))) {
    for (const std::string_view text : *except) read.except.push_back(PROV_TRY(NetworkAt(*block, "except", text)));
  }
  out.blocks.push_back(std::move(read));
  return {};
}

// nullopt: it allows nothing outside of the cluster, as its ports are those of pods.
Result<std::optional<NetworkPolicyRule>> ReadPolicyRule(const ObjectView& rule) {
  NetworkPolicyRule out;
  const std::vector<ObjectView> peers = PROV_TRY(rule.Objects("to"));
  out.everywhere = peers.empty();
  for (const ObjectView& peer : peers) PROV_TRY(AddPeer(peer, out));
  const std::vector<ObjectView> ports = PROV_TRY(rule.Objects("ports"));
  for (const ObjectView& port : ports) {
    if (const auto read = PROV_TRY(ReadPort(port))) out.ports.push_back(*read);
  }
  if (!ports.empty() && out.ports.empty()) return std::nullopt;
  return out;
}

}  // namespace

Result<EgressFirewall> ReadEgressFirewall(const ObjectView& object) {
  auto [name, name_space] = PROV_TRY(IdentityOf(object));
  EgressFirewall out{.name = std::move(name), .name_space = std::move(name_space), .rules = {}};
  const auto spec = PROV_TRY(object.Object("spec"));
  if (!spec) return out;
  for (const ObjectView& rule : PROV_TRY(spec->Objects("egress"))) out.rules.push_back(PROV_TRY(ReadRule(rule)));
  return out;
}

Result<NetworkPolicy> ReadNetworkPolicy(const ObjectView& object) {
  auto [name, name_space] = PROV_TRY(IdentityOf(object));
  NetworkPolicy out{.name = std::move(name), .name_space = std::move(name_space), .pods = {}, .rules = {}};
  const auto spec = PROV_TRY(object.Object("spec"));
  if (!spec) return out;
  if (const auto pods = PROV_TRY(spec->Object("podSelector"))) out.pods = PROV_TRY(LabelSelector::Read(*pods));
  const auto types = PROV_TRY(spec->Texts("policyTypes"));
  // Without types, a policy with egress rules is one for egress.
  out.egress = types && !types->empty() ? std::ranges::find(*types, "Egress") != types->end()
                                        : !PROV_TRY(spec->Objects("egress")).empty();
  for (const ObjectView& rule : PROV_TRY(spec->Objects("egress"))) {
    if (auto read = PROV_TRY(ReadPolicyRule(rule))) out.rules.push_back(*std::move(read));
  }
  return out;
}

}  // namespace prov::egressip
