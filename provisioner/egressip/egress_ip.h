// EgressIPs: the source addresses with which the pods of each namespace leave the cluster, and the nodes that they
// leave through, by the rules of openshift-sdn or OVN-Kubernetes; also while some nodes are offline. Pure: where a
// controller would choose at random, this chooses by name, and a finding says so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/egressip/egress_objects.h"
#include "provisioner/egressip/label_selector.h"

namespace prov::egressip {

enum class EgressDecision {
  kEgressIp,  // with one of `addresses`
  kNodeIp,    // with the address of the pod's node
  kDropped,   // no traffic leaves
};
std::string_view NameOf(EgressDecision decision);  // "egressIP", "nodeIP", "dropped"

// The pods of a namespace that one EgressIP selects, and with which addresses they leave.
struct SelectedPods {
  std::string egress_ip;                      // its name
  std::optional<LabelSelector> pods;          // nullopt: all
  std::vector<EgressIpAssignment> addresses;  // empty: no node has one
};

struct NamespaceEgress {
  std::string name;
  EgressDecision decision = EgressDecision::kNodeIp;
  std::vector<EgressIpAssignment> addresses;
  std::string reason;                       // one sentence without a full stop
  std::vector<SelectedPods> selected = {};  // of OVN-Kubernetes, by EgressIP
};

struct NodeEgress {
  std::string name;
  std::string address;  // its own address; "": unknown
  bool windows = false;
  bool offline = false;
  std::vector<std::string> egress_ips;  // active on this node
};

struct EgressReport {
  std::vector<NamespaceEgress> namespaces;  // by name
  std::vector<NodeEgress> nodes;            // by name
  Findings findings;
};

// `offline`: names or addresses of nodes. Nodes whose condition Ready is not True are offline, too. Errors: kind (no
// objects of a plugin, or of both), usage (a node of `offline` does not exist).
Result<EgressReport> EvaluateEgressIps(const EgressObjects& objects, const std::vector<std::string>& offline);

}  // namespace prov::egressip
