// Runs crictl, the container runtime's command-line client: lists a node's containers, and inspects one. It uses its
// own configuration. Its arguments are checked first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/programs.h"

namespace prov::hns {

// The output of `crictl inspect` for a container. `id`: its ID or the beginning of it, with or without "containerd://".
// Errors: usage (not an ID); target (crictl can't be run, does not end, or failed, with its own message); not-found
// (crictl does not know the container); too-large.
Result<std::string> InspectContainer(machine::Programs& programs, const std::string& crictl, std::string_view id);

// One container of each pod in a Kubernetes namespace, a running one if there is one: a pod keeps its endpoint while
// its containers restart. May include pods that have ended. Errors: target and too-large, as above; kind, json (the
// output is not a list of containers).
Result<std::vector<std::string>> ContainersOfPods(machine::Programs& programs, const std::string& crictl,
                                                  std::string_view name_space);

}  // namespace prov::hns
