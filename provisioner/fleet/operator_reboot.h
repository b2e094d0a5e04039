// Asks the Windows Machine Config Operator to drain and restart a node. Facts: docs/operator.md.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/source/kube_client.h"

namespace prov::fleet {

inline constexpr std::string_view kOperatorRebootAnnotation = "windowsmachineconfig.openshift.io/reboot-required";

// Whether the annotation is set: the operator is restarting this node, or has just done so and is about to remove the
// annotation. A request made now would be removed with it. Errors: those of KubeClient::Get, json, type.
Result<bool> OperatorIsAsked(source::KubeClient& client, const std::string& node);

// Sets the annotation that the operator's daemon sets, with the same empty value. The operator removes it when the node
// is back. Errors: those of KubeClient::Patch.
Result<void> AskOperatorForReboot(source::KubeClient& client, const std::string& node);

}  // namespace prov::fleet
