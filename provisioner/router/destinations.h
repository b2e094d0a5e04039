// Lists of destinations as EGRESS_DESTINATION and similar variables hold them. They are read by the rules of the
// images' scripts, and refused if the scripts accept a line that then fails or means something else. Facts:
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

// Adds the rules of `text` to a policy whose kind and where are set; findings are those of the policy. Errors:
// destination, with "WHERE: line N" as where and the script's own words first; too-large (over kMostDestinations).
Result<void> ReadDestinations(std::string_view text, RouterPolicy& out);

// The same, but continues after a wrong line: the rules are those of the other lines, and the errors of wrong lines are
// returned, at most kMostFaults.
using Faults = std::vector<Error>;
inline constexpr std::size_t kMostFaults = 20;
Faults CheckDestinations(std::string_view text, RouterPolicy& out);

// Why an IPv4 address can't belong to an outside host, such as "a multicast address"; "" for an ordinary one.
std::string_view NoHost(const IpAddress& address);

// EGRESS_SOURCE: "IP" or "IP/N". IPv6 only of a CNI. Errors: destination, at out.where.
Result<void> ReadSource(std::string_view text, const std::string& where, RouterPolicy& out);
Result<void> ReadGateway(std::string_view text, const std::string& where, RouterPolicy& out);

}  // namespace prov::router
