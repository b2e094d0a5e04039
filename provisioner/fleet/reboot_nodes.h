// The Windows nodes of a cluster as a coordinator of reboots sees them, their pods, and what it writes into a Node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/reboot_plan.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

// RebootTurn as JSON: {"schema":1,"boot":"...","cordoned":true}.
inline constexpr std::string_view kRebootTurnAnnotation = "egress-provisioner/reboot-turn";

// By name. A damaged state counts as none. Errors: those of KubeClient::ListPages; json, type.
Result<std::vector<RebootNode>> ReadRebootNodes(source::KubeClient& client);
// Reads `turn`, `turn_damaged` and `approved` out of the annotations. Errors: type.
Result<void> ReadTurn(const JsonNode& annotations, RebootNode& into);

// The pods that have to leave the node: none of a DaemonSet, no static and no finished ones. By namespace and name.
// Errors: those of KubeClient::ListPages; json, type.
Result<std::vector<DrainPod>> ReadDrainPods(source::KubeClient& client, const std::string& node);

// JSON merge patches about `node.version`. The first cordons a node that is not, and marks that it was us; the last one
// uncordons it if it was us, and takes both annotations away.
std::string BeginTurnPatch(const RebootNode& node);
std::string ApproveRebootPatch(const RebootNode& node);
std::string EndTurnPatch(const RebootNode& node);

}  // namespace prov::fleet
