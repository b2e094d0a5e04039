// The endpoints of pods, as Kubernetes names pods.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/compute_network.h"
#include "provisioner/machine/programs.h"

namespace prov::hns {

inline constexpr std::string_view kAllPods = "all";

// Those of all pods, or of the pods in a namespace of Kubernetes, by what crictl in PATH says of it. Pods without an
// endpoint of their own are left out: those of the node's network, those with Hyper-V isolation, and those that end
// meanwhile. Errors: hns; of a namespace also target (no crictl, or it fails), too-large, kind and json.
Result<std::vector<std::string>> EndpointsOfPods(machine::ComputeNetwork& network, machine::Programs& programs,
                                                 std::string_view pods);

}  // namespace prov::hns
