// What a Node says of its reboots, and the request to the Windows Machine Config Operator to drain and restart it.
// Facts: docs/operator.md.
#pragma once

#include <string_view>
#include <utility>

#include "provisioner/machine/host.h"
#include "provisioner/node/reboot_request.h"

namespace prov::fleet {

inline constexpr std::string_view kOperatorRebootAnnotation = "windowsmachineconfig.openshift.io/reboot-required";
// The boot of the node that may end, as its pods are gone. Pods of the fleet can't write it (AdmissionPolicyYaml).
inline constexpr std::string_view kRebootApprovedAnnotation = "egress-provisioner/reboot-approved";

// The operator of this node's cluster. Requests time out after 15 seconds, because the machine is open meanwhile.
class OperatorReboot final : public node::DrainOperator {
 public:
  OperatorReboot(machine::Host& host, node::ClusterNode node) : host_(host), node_(std::move(node)) {}

  // While the operator's annotation is set, it is restarting this node, or has just done so and is about to remove the
  // annotation. A request made now would be removed with it. Errors: those of KubeClient::Get, json, type.
  Result<node::NodeReboots> Read() override;
  // Sets the annotation that the operator's daemon sets, with the same empty value. The operator removes it when the
  // node is back. Errors: those of KubeClient::Patch.
  Result<void> Request() override;

 private:
  machine::Host& host_;
  node::ClusterNode node_;
};

// Requests a needed reboot as `reporting` says: node::RequestChosenReboot with the operator of the node's cluster.
Result<void> RequestNodeReboot(node::OpenNode& node, const node::NodeReporting& reporting, Findings& findings);

}  // namespace prov::fleet
