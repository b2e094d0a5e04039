// The Windows nodes of a cluster, with what each reports about itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/fleet/node_state.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

struct FleetNode {
  std::string name;
  std::optional<NodeState> state;  // nullopt: no annotation, or a damaged one
  std::optional<Error> damage;     // why the annotation can't be read
};

// The nodes with the label kubernetes.io/os=windows, by name. Errors: those of KubeClient::ListPages, and of an answer
// that is not a list of nodes.
Result<std::vector<FleetNode>> ReadNodes(source::KubeClient& client);

// The node of this name. Errors: those of KubeClient::Get, json, type.
Result<FleetNode> ReadNode(source::KubeClient& client, const std::string& name);

}  // namespace prov::fleet
