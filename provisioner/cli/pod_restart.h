// Rolls workloads, so that the admission policy gives their new pods the present variables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/publish/pod_runs.h"

namespace prov::cli {

enum class Restart {
  kNotAsked,    // it was only looked at
  kDone,        // each of its pods is new
  kLeft,        // it has no rollout, or can't be judged by one: see the message
  kFailed,      // it could not be read or changed, its new pods did not become available, or lack the variables, too
  kNotReached,  // new pods of an earlier one did not become available, or lack the variables, too
};
std::string_view NameOf(Restart restart);  // "done"; "" for kNotAsked

struct RestartedWorkload {
  publish::WorkloadPods pods;
  Restart restart = Restart::kNotAsked;
  std::string message = {};  // why it was left, or failed
};

// Restarts those with outdated pods one after the other, by the annotation that `kubectl rollout restart` sets, and
// waits up to `wait_seconds` for each. One that can't be read or changed fails alone. One whose pods were not all
// available before is left, as it would not say whether the new values are good. The first whose new pods do not become
// available ends it, as what breaks one may break all; so does a server without an answer. `is_good`: asked about each
// that was rolled, which it may change, until one is good; the second that is not ends it. `cluster`: its source is a
// kube:// URI. Errors: those of source::KubeAccess::Open.
Result<std::vector<RestartedWorkload>> RestartWorkloads(machine::Host& host, const source::SourceSpec& cluster,
                                                        const std::vector<publish::WorkloadPods>& workloads,
                                                        std::int64_t wait_seconds,
                                                        const std::function<bool(RestartedWorkload&)>& is_good);

}  // namespace prov::cli
