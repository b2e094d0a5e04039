#include "provisioner/source/pod_template.h"

#include <algorithm>
#include <array>

namespace prov::source {
namespace {

constexpr std::array<std::string_view, 9> kKinds = {"PodTemplate", "Deployment",       "DaemonSet",
                                                    "StatefulSet", "ReplicaSet",       "ReplicationController",
                                                    "Job",         "DeploymentConfig", "CronJob"};
constexpr std::array<std::string_view, 4> kCronJobPath = {"spec", "jobTemplate", "spec", "template"};
constexpr std::span<const std::string_view> kUsualPath = std::span(kCronJobPath).subspan(2);
constexpr std::span<const std::string_view> kPodTemplatePath = std::span(kCronJobPath).subspan(3);

}  // namespace

bool IsPodKind(std::string_view kind) { return kind == "Pod" || std::ranges::find(kKinds, kind) != kKinds.end(); }

std::span<const std::string_view> PodPath(std::string_view kind) {
  if (kind == "Pod") return {};
  if (kind == "PodTemplate") return kPodTemplatePath;
  return kind == "CronJob" ? std::span<const std::string_view>(kCronJobPath) : kUsualPath;
}

Result<std::optional<ObjectView>> PodOf(const ObjectView& object, std::string_view kind) {
  std::optional<ObjectView> out = object;
  for (const std::string_view name : PodPath(kind)) {
    out = PROV_TRY(out->Object(name));
    if (!out) break;
  }
  return out;
}

Result<std::optional<std::string_view>> AksOptOutOf(const ObjectView& object) {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  const auto annotations = metadata ? PROV_TRY(metadata->Object("annotations")) : std::nullopt;
  if (!annotations) return std::nullopt;
  return PROV_TRY(annotations->Text(kAksOptOut));
}

}  // namespace prov::source
