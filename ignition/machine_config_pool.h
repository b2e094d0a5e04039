// Reads what a MachineConfigPool says about the configs of its nodes.
#pragma once

#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/json.h"

namespace prov::ignition {

// Views into the document; "" for absent members.
struct MachineConfigPool {
  std::string_view name;
  std::string_view on_nodes;  // status.configuration.name: the config that the nodes have
  std::string_view newest;    // spec.configuration.name: the config that they are to get
  bool paused = false;
  bool reached_a_node = false;  // status.updatedMachineCount: a node has the newest config
};

// `object` must be an object. A member of another type counts as absent.
MachineConfigPool ReadMachineConfigPool(const JsonValue& object);

// Adds pool-paused or pool-rollout if not all nodes of the pool have its newest config.
void ReportRollout(const MachineConfigPool& pool, std::string_view where, Findings& findings);

}  // namespace prov::ignition
