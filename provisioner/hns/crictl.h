// crictl, the container runtime's command-line client: which containers a node has, and the details of one. It runs
// with its own configuration, and its arguments are checked first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/programs.h"

namespace prov::hns {

// What `crictl inspect` prints of a container. `id`: its ID or the beginning of it, with or without "containerd://".
// Errors: usage (that is none); target (crictl can't be run, does not end, or failed, with its own words); not-found
// (it knows no such container); too-large.
Result<std::string> InspectContainer(machine::Programs& programs, const std::string& crictl, std::string_view id);

// One container of each pod in a namespace of Kubernetes, a running one where there is one: the endpoint of a pod stays
// while its containers start again. Pods that have ended may be among them. Errors: target and too-large, as above;
// kind, json (the answer is no list of containers).
Result<std::vector<std::string>> ContainersOfPods(machine::Programs& programs, const std::string& crictl,
                                                  std::string_view name_space);

// Whether it can be the name of a namespace of Kubernetes.
bool IsNamespaceName(std::string_view name);

}  // namespace prov::hns
