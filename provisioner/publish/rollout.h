// The rollout of a Deployment, StatefulSet or DaemonSet: whether a change of its template makes new pods, and how far
// it is, as `kubectl rollout status` judges it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/source/object_view.h"

namespace prov::publish {

// The plural of a kind of the group apps; "" for a kind without rollouts, or of another group.
std::string_view RolloutResource(std::string_view group, std::string_view kind);

// Why a changed template makes no new pods: the workload is paused, or its strategy is OnDelete; "": it does. Errors:
// type.
Result<std::string> ReasonNotToRoll(const source::ObjectView& workload, std::string_view kind);

// The merge patch that makes new pods: the annotation of the template that `kubectl rollout restart` sets.
std::string RestartPatch(std::int64_t now_unix);

struct Rollout {
  bool done = false;
  bool failed = false;  // past its own deadline
  std::string message;  // "2 of 3 pods are new and available"
};

// Errors: type.
Result<Rollout> RolloutOf(const source::ObjectView& workload, std::string_view kind);

}  // namespace prov::publish
