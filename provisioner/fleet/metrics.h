// The state of a node as metrics for the textfile collector of windows_exporter (and of node_exporter).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "provisioner/fleet/node_state.h"
#include "provisioner/node/status.h"

namespace prov::fleet {

// The Prometheus text format, version 0.0.4. `now`: when the round ended. It holds no secrets, like the annotation.
std::string MetricsText(const NodeState& state, const std::optional<node::Expiry>& first_expiry, std::int64_t now);

}  // namespace prov::fleet
