// Rolls workloads, so that the admission policy gives their new pods the present variables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/publish/pod_runs.h"

namespace prov::cli {

enum class Restart {
  kNotAsked,    // it was only looked at
  kDone,        // each of its pods is new
  kLeft,        // it has no rollout: see the message
  kFailed,      // its new pods did not become available, or lack the variables, too
  kNotReached,  // an earlier one failed
};
std::string_view NameOf(Restart restart);  // "done"; "" for kNotAsked

struct RestartedWorkload {
  publish::WorkloadPods pods;
  Restart restart = Restart::kNotAsked;
  std::string message = {};  // why it was left, or failed
};

// Restarts those with outdated pods one after the other, by the annotation that `kubectl rollout restart` sets, and
// waits up to `wait_seconds` for each. The first that fails ends it. `cluster`: its source is a kube:// URI. Errors:
// those of source::KubeClient::Get and Patch, interrupted.
Result<std::vector<RestartedWorkload>> RestartWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                                                        const std::vector<publish::WorkloadPods>& workloads,
                                                        std::int64_t wait_seconds);

}  // namespace prov::cli
