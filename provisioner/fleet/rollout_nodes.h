// The Windows nodes of a cluster as a rollout sees them.
#pragma once

#include <functional>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/rollout_plan.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

// Nodes with this label, whatever its value, are a rollout's canaries.
inline constexpr std::string_view kCanaryLabel = "egress-provisioner/canary";

// By name. A damaged annotation counts as none. Errors: those of KubeClient::ListPages; json, type.
Result<std::vector<RolloutNode>> ReadRolloutNodes(source::KubeClient& client);

// Passes each Windows node to `take`, whole. Errors: those of KubeClient::ListPages and of `take`; json, type.
Result<void> ForEachNode(source::KubeClient& client, const std::function<Result<void>(const JsonNode& node)>& take);
// Whether kubelet reports that it runs. Errors: type.
Result<bool> IsNodeReady(const JsonNode& node);

}  // namespace prov::fleet
