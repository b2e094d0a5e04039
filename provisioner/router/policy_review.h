// Warns about a valid policy that probably differs from what its author intends: unreachable lines, addresses that do
// not fit together, a list that is too long.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

// The maximum size of a variable of a Linux program, with its name and '='; a program with a larger one does not start.
inline constexpr std::size_t kMostVariableBytes = (std::size_t{128} << 10U) - 1;

// Adds findings: router-shadowed, router-size, router-gateway, router-source (an address outside of `node_networks`;
// not checked if there are none).
void ReviewPolicy(const RouterPolicy& policy, const std::vector<IpNetwork>& node_networks, Findings& out);

}  // namespace prov::router
