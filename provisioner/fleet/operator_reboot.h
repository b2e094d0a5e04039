// Asks the Windows Machine Config Operator to drain a node and have it boot again. Facts: docs/operator.md.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/source/kube_client.h"

namespace prov::fleet {

inline constexpr std::string_view kOperatorRebootAnnotation = "windowsmachineconfig.openshift.io/reboot-required";

// Whether that annotation stands: somebody has asked, and the operator has this node boot, or has just done so and
// takes the annotation away. What is asked for meanwhile would go with it. Errors: those of KubeClient::Get, json,
// type.
Result<bool> OperatorIsAsked(source::KubeClient& client, const std::string& node);

// The annotation that its daemon sets, with the same value: none. The operator takes it away when the node is back.
// Errors: those of KubeClient::Patch.
Result<void> AskOperatorForReboot(source::KubeClient& client, const std::string& node);

}  // namespace prov::fleet
