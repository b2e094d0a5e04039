#include "provisioner/publish/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "provisioner/base/clock.h"

namespace prov::publish {
namespace {

using source::ObjectView;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kResources = {
    {{"Deployment", "deployments"}, {"StatefulSet", "statefulsets"}, {"DaemonSet", "daemonsets"}}};

std::int64_t NumberIn(const std::optional<ObjectView>& object, std::string_view name, std::int64_t other = 0) {
  const JsonValue* value = object ? object->Find(name) : nullptr;
  return value != nullptr && value->IsInt64() ? value->GetInt64() : other;
}

Result<std::string_view> TextIn(const std::optional<ObjectView>& object, std::string_view name) {
  return object ? object->TextOr(name, "") : std::string_view();
}

// Whether the controller gave up on the Deployment's new pods.
Result<bool> IsPastDeadline(const ObjectView& status) {
  for (const ObjectView& condition : PROV_TRY(status.Objects("conditions"))) {
    if (PROV_TRY(condition.TextOr("type", "")) == "Progressing" &&
        PROV_TRY(condition.TextOr("reason", "")) == "ProgressDeadlineExceeded")
      return true;
  }
  return false;
}

// `new_pods` of `wanted` have the present template, `available` of all pods can be used, and `all` are there.
Rollout Counted(std::int64_t new_pods, std::int64_t available, std::int64_t all, std::int64_t wanted) {
  return {.done = new_pods >= wanted && available >= wanted && all <= wanted,
          .failed = false,
          .message = fmt::format("{} of {} pods are new, and {} are available", new_pods, wanted,
                                 std::min(available, wanted))};
}

// The ordinal below which a StatefulSet's pods keep the former template.
Result<std::int64_t> PartitionOf(const std::optional<ObjectView>& spec) {
  const auto strategy = spec ? PROV_TRY(spec->Object("updateStrategy")) : std::nullopt;
  return NumberIn(strategy ? PROV_TRY(strategy->Object("rollingUpdate")) : std::nullopt, "partition");
}

}  // namespace

std::string_view RolloutResource(std::string_view group, std::string_view kind) {
  if (group != "apps") return {};
  const auto* const found = std::ranges::find(kResources, kind, &std::pair<std::string_view, std::string_view>::first);
  return found == kResources.end() ? std::string_view() : found->second;
}

Result<std::string> ReasonNotToRoll(const ObjectView& workload, std::string_view kind) {
  const auto spec = PROV_TRY(workload.Object("spec"));
  if (!spec) return std::string();
  const JsonValue* paused = spec->Find("paused");
  if (kind == "Deployment" && paused != nullptr && paused->IsTrue())
    return std::string("it is paused; resume it with kubectl rollout resume");
  const auto strategy = PROV_TRY(spec->Object("updateStrategy"));
  if (PROV_TRY(TextIn(strategy, "type")) == "OnDelete")
    return std::string("its strategy is OnDelete; delete its pods one after the other");
  if (kind == "StatefulSet" && PROV_TRY(PartitionOf(spec)) > 0)
    return std::string("its strategy has a partition, below which pods keep the former template; set it to 0");
  return std::string();
}

std::string RestartPatch(std::int64_t now_unix) {
  return fmt::format(
      R"({{"spec":{{"template":{{"metadata":{{"annotations":{{"kubectl.kubernetes.io/restartedAt":"{}"}}}}}}}}}})",
      FormatUtc(now_unix));
}

Result<Rollout> RolloutOf(const ObjectView& workload, std::string_view kind) {
  const auto metadata = PROV_TRY(workload.Object("metadata"));
  const auto spec = PROV_TRY(workload.Object("spec"));
  const auto status = PROV_TRY(workload.Object("status"));
  if (!status || NumberIn(status, "observedGeneration") < NumberIn(metadata, "generation"))
    return Rollout{.done = false, .failed = false, .message = "its controller has not seen the change yet"};
  if (kind == "DaemonSet") {
    const std::int64_t wanted = NumberIn(status, "desiredNumberScheduled");
    return Counted(NumberIn(status, "updatedNumberScheduled"), NumberIn(status, "numberAvailable"), wanted, wanted);
  }
  const std::int64_t wanted = NumberIn(spec, "replicas", 1);
  if (kind == "StatefulSet") {
    // Once all are new, the controller makes the present revision the current one, and counts no pod as updated.
    const bool same = PROV_TRY(TextIn(status, "currentRevision")) == PROV_TRY(TextIn(status, "updateRevision"));
    const std::int64_t fresh = same ? wanted : NumberIn(status, "updatedReplicas");
    Rollout out = Counted(fresh, NumberIn(status, "readyReplicas"), NumberIn(status, "replicas"), wanted);
    return out;
  }
  Rollout out = Counted(NumberIn(status, "updatedReplicas"), NumberIn(status, "availableReplicas"),
                        NumberIn(status, "replicas"), wanted);
  out.failed = !out.done && PROV_TRY(IsPastDeadline(*status));
  if (out.failed) out.message += "; its progressDeadlineSeconds have passed";
  return out;
}

}  // namespace prov::publish
