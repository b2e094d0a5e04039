// Compares what the nodes of a cluster, and the Secrets with user data for new ones, report with what they should have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/fleet/nodes.h"
#include "provisioner/fleet/rollout_record.h"
#include "provisioner/machine/host.h"
#include "provisioner/source/source_spec.h"

namespace prov::fleet {

struct NodeRow {
  FleetNode node;
  std::optional<bool> credentials_current;  // nullopt: the node stores none, or they can't be compared
  bool current = false;
};

// The rollout that the cluster keeps, and where each node stands in it, by name.
struct FleetRollout {
  RolloutRecord record;
  std::map<std::string, RolloutStanding> standings;
};

struct FleetStatus {
  egress::SourceInfo source;
  std::string wanted;  // digest of the wanted settings
  std::vector<NodeRow> rows;
  // Also those that are missing. Those that could not be looked at are findings, and here only if nobody keeps them.
  std::vector<NodeRow> secrets;
  std::optional<FleetRollout>
      rollout;  // nullopt: there was none yet, no node waits for approval, or a finding says why
  Findings findings;

  bool IsCurrent() const {
    return std::ranges::all_of(rows, &NodeRow::current) && std::ranges::all_of(secrets, &NodeRow::current);
  }
};

struct StatusRequest {
  source::SourceSpec cluster;  // kube://: the cluster whose nodes and Secrets are read
  source::SourceSpec wanted;   // the settings that nodes should have; equal to `cluster`: those of its pool
  std::string name_space;      // of the fleet's pods, for the rollout
  std::int64_t wait_seconds = 0;
};

// Whether there is nothing to wait for. If the request has a time to wait, a cluster without Windows nodes is not done:
// nodes may still join it.
bool IsDone(const FleetStatus& status, const StatusRequest& request);

// One reading. Findings and errors: as of AwaitStatus.
Result<FleetStatus> ReadStatus(machine::Host& host, const StatusRequest& request);

// Reads the cluster until IsDone() or until the time is over. Once one reading succeeded, waits as well while the API
// server does not answer. Findings: fleet-secrets, fleet-secret-silent,
// fleet-policies, fleet-rollout. Errors: those of node::ReadSource and ReadNodes.
Result<FleetStatus> AwaitStatus(machine::Host& host, const StatusRequest& request);

}  // namespace prov::fleet
