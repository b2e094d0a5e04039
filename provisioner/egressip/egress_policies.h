// What may stop the traffic of pods to the outside: EgressFirewalls of OVN-Kubernetes, and the egress rules of
// NetworkPolicies. Facts: docs/egress-systems.md#egressfirewall-and-networkpolicy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egressip/label_selector.h"
#include "provisioner/source/object_view.h"

namespace prov::egressip {

struct PolicyPort {
  std::string protocol = "TCP";
  std::uint16_t first = 0;  // 0: every port
  std::uint16_t last = 0;
};

struct EgressFirewallRule {
  bool allow = false;
  std::optional<IpNetwork> network = {};  // cidrSelector
  std::string dns_name = {};              // lower case, without a final dot; may begin with "*."
  std::vector<PolicyPort> ports = {};     // empty: every port
};  // with neither network nor name: nodeSelector

struct EgressFirewall {
  std::string name;
  std::string name_space;
  std::vector<EgressFirewallRule> rules;
  std::string where = {};
};

struct NetworkPolicyBlock {
  IpNetwork network;
  std::vector<IpNetwork> except = {};
};

struct NetworkPolicyRule {
  bool everywhere = false;                      // no list of peers
  std::vector<NetworkPolicyBlock> blocks = {};  // of its peers; those in the cluster are left out
  std::vector<PolicyPort> ports = {};           // empty: every port
};

struct NetworkPolicy {
  std::string name;
  std::string name_space;
  LabelSelector pods;
  bool egress = false;  // whether its type is Egress, so that only what its rules allow leaves
  std::vector<NetworkPolicyRule> rules;
  std::string where = {};
};

// Errors: type, invalid-config (no name, a malformed network, port or selector).
Result<EgressFirewall> ReadEgressFirewall(const source::ObjectView& object);
Result<NetworkPolicy> ReadNetworkPolicy(const source::ObjectView& object);

}  // namespace prov::egressip
