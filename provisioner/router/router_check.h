// Checks whether the routers of files are valid and do what is intended: reports every fault of every file as a
// finding.
#pragma once

#include <optional>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/router/router_policy.h"

namespace prov::router {

struct CheckRequest {
  std::optional<RouterKind> kind = {};        // of plain lists
  std::vector<IpNetwork> node_networks = {};  // none: sources are not looked at
};

// The files belong together, as for ReadRouterPolicies(). No error ends the check: what can't be read is a finding, too
// (router-document, router-destination, router-reference).
Findings CheckRouters(const std::vector<PolicyFile>& files, const CheckRequest& request = {});

}  // namespace prov::router
