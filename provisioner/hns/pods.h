// The endpoints of pods, selected by their Kubernetes namespace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/compute_network.h"
#include "provisioner/machine/programs.h"

namespace prov::hns {

inline constexpr std::string_view kAllPods = "all";

// The endpoints of all pods, or of the pods in a Kubernetes namespace, which crictl in PATH lists. Leaves out pods
// without an endpoint of their own: those in the node's network, those with Hyper-V isolation, and those that end
// meanwhile. Errors: hns; for a namespace also target (no crictl, or it fails), too-large, kind and json.
Result<std::vector<std::string>> EndpointsOfPods(machine::ComputeNetwork& network, machine::Programs& programs,
                                                 std::string_view pods);

}  // namespace prov::hns
