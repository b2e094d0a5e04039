// Lists of destinations, as in EGRESS_DESTINATION and similar variables. They are parsed by the rules of the images'
// scripts. A line that the scripts accept, but that then fails or means something else, is refused. Facts:
// docs/egress-router.md#destinations.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

inline constexpr std::size_t kMostDestinations = 100'000;

// Adds the rules of `text` to a policy, whose kind and where must be set; adds findings to the policy. Errors:
// destination, with "WHERE: line N" as where and the script's own message first; too-large (over kMostDestinations).
Result<void> ReadDestinations(std::string_view text, RouterPolicy& out);

// The same, but continues after an invalid line: adds the rules of the valid lines, and returns the errors of the
// others, at most kMostFaults.
using Faults = std::vector<Error>;
inline constexpr std::size_t kMostFaults = 20;
Faults CheckDestinations(std::string_view text, RouterPolicy& out);

// EGRESS_SOURCE: "IP" or "IP/N". IPv6 only for a CNI plugin, whose gateway is of the source's family. Errors:
// destination, with `where`.
Result<void> ReadSource(std::string_view text, const std::string& where, RouterPolicy& out);
Result<void> ReadGateway(std::string_view text, const std::string& where, RouterPolicy& out);

}  // namespace prov::router
