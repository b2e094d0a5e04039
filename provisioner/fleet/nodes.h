// The Windows nodes of a cluster, and the Secrets with user data for new ones, with what each reports about itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/fleet/node_state.h"
#include "provisioner/fleet/reboot_plan.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

struct FleetNode {
  std::string name_space;  // of a Secret
  std::string name;
  std::optional<NodeState> state;          // nullopt: no annotation, or a damaged one
  std::optional<Error> damage;             // why the annotation can't be read
  RebootStage stage = RebootStage::kIdle;  // as far as annotations tell, and as if it were ready
};

// The nodes with the label kubernetes.io/os=windows, by name. Errors: those of KubeClient::ListPages, and of an answer
// that is not a list.
Result<std::vector<FleetNode>> ReadNodes(source::KubeClient& client);

// The Secrets that a controller keeps (source::kKeepsLabel), of all namespaces, by namespace and name; their metadata
// alone. Errors: those of KubeClient::ListPages, and of an answer that is not a list.
Result<std::vector<FleetNode>> ListKeptSecrets(source::KubeClient& client);

// The node of this name. Errors: those of KubeClient::Get, json, type.
Result<FleetNode> ReadNode(source::KubeClient& client, const std::string& name);

}  // namespace prov::fleet
