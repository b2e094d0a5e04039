// Checks whether the routers of files are valid and work as intended: reports every fault of every file as a finding.
#pragma once

#include <optional>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

struct CheckRequest {
  std::optional<RouterKind> kind = {};        // for plain lists
  std::vector<IpNetwork> node_networks = {};  // empty: sources are not checked
};

// The files belong together, as for ReadRouterPolicies(). No error ends the check: a file that can't be read is a
// finding, too (router-document, router-destination, router-reference).
Findings CheckRouters(const std::vector<PolicyFile>& files, const CheckRequest& request = {});

}  // namespace prov::router
