// Compares what the nodes of a cluster report with what they should have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/fleet/nodes.h"
#include "provisioner/machine/host.h"
#include "provisioner/source/source_spec.h"

namespace prov::fleet {

struct NodeRow {
  FleetNode node;
  std::optional<bool> credentials_current;  // nullopt: it stores none, or they can't be compared
  bool current = false;
};

struct FleetStatus {
  egress::SourceInfo source;
  std::string wanted;  // the digest of its settings
  std::vector<NodeRow> rows;
  Findings findings;

  bool IsCurrent() const { return std::ranges::all_of(rows, &NodeRow::current); }
};

struct StatusRequest {
  source::SourceSpec cluster;  // whose nodes are asked for: kube://
  source::SourceSpec wanted;   // what they should have; the same: the pool of the cluster
  std::int64_t wait_seconds = 0;
};

// Whether nothing is to be waited for. With a time to wait, nodes that are still to join are waited for, too: without
// any, none has the settings.
bool IsDone(const FleetStatus& status, const StatusRequest& request);

// Reads the cluster until IsDone() or until the time is over. After a reading that succeeded, an API server that is
// away is waited for as well. Errors: those of node::ReadSource and ReadNodes.
Result<FleetStatus> AwaitStatus(machine::Host& host, const StatusRequest& request);

}  // namespace prov::fleet
