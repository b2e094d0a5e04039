// The last hop of a request: from a pod, such as that of a proxy, to the outside. NetworkPolicies and the
// EgressFirewall of its namespace may stop it; its EgressIP gives the source address. Pure. Facts:
// docs/egress-systems.md#egressfirewall-and-networkpolicy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/base/result.h"
#include "provisioner/egressip/egress_ip.h"
#include "provisioner/egressip/egress_objects.h"
#include "provisioner/egressip/label_selector.h"

namespace prov::egressip {

// A pod that the scheduler put on a Linux node.
struct EgressPod {
  std::string name_space;
  std::optional<Labels> labels;  // nullopt: unknown
};

struct EgressTarget {
  std::string host;                                 // lower case, without a final dot; an address or a name
  std::optional<std::vector<IpAddress>> addresses;  // nullopt: unknown; empty: it does not resolve
  std::uint16_t port = 0;                           // 0: unknown
  std::string protocol = "TCP";
};

struct PodEgressAnswer {
  enum class Verdict { kPasses, kStopped, kDepends };
  Verdict verdict = Verdict::kPasses;
  std::string source = {};  // the addresses, "A or B"; "" if unknown, or if nothing leaves
  std::string note = {};    // the reason, as text for people
};

class PodEgress {
 public:
  // Whether the objects say anything about pods.
  static bool Concerns(const EgressObjects& objects);

  // `name_spaces`: those of the pods, for which the files need no Namespace. Findings: those of EvaluateEgressIps(),
  // and egress-unread. Errors: kind (objects of two plugins).
  static Result<PodEgress> Make(EgressObjects objects, const std::vector<std::string>& name_spaces);

  PodEgressAnswer Follow(const EgressPod& pod, const EgressTarget& to) const;

  // The only namespace that the objects decide about; "" if there are several or none.
  std::string OnlyNamespace() const;
  const Findings& findings() const { return report_.findings; }

 private:
  // What is known of a rule or an object for a target.
  enum class Match { kNo, kMaybe, kYes };

  static Match MatchPort(const std::vector<PolicyPort>& ports, const EgressTarget& to);
  static Match MatchNetwork(const IpNetwork& network, const EgressTarget& to);
  static Match MatchName(std::string_view pattern, const EgressTarget& to);
  static Match MatchRule(const EgressFirewallRule& rule, const EgressTarget& to);
  static Match MatchRule(const NetworkPolicyRule& rule, const EgressTarget& to);
  static Match Selects(const std::optional<LabelSelector>& pods, const EgressPod& pod);
  std::optional<PodEgressAnswer> StoppedByPolicies(const EgressPod& pod, const EgressTarget& to) const;
  std::optional<PodEgressAnswer> StoppedByFirewall(const EgressPod& pod, const EgressTarget& to) const;
  PodEgressAnswer SourceOf(const EgressPod& pod, const EgressTarget& to) const;

  EgressObjects objects_;
  EgressReport report_;
};

}  // namespace prov::egressip
