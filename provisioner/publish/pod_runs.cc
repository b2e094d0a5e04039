#include "provisioner/publish/pod_runs.h"

#include <algorithm>

#include "provisioner/publish/pod_params.h"
#include "provisioner/source/source_objects.h"

namespace prov::publish {
namespace {

using source::ObjectView;

constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";

// "apps" of "apps/v1"; "" of "v1".
std::string_view GroupOf(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

// The owner that made the object and makes it again; nullopt: there is none.
Result<std::optional<Workload>> ControllerOf(const std::optional<ObjectView>& metadata, std::string_view name_space) {
  if (!metadata) return std::nullopt;
  for (const ObjectView& owner : PROV_TRY(metadata->Objects("ownerReferences"))) {
    const JsonValue* controller = owner.Find("controller");
    if (controller == nullptr || !controller->IsTrue()) continue;
    return Workload{.name_space = std::string(name_space),
                    .kind = std::string(PROV_TRY(owner.TextOr("kind", ""))),
                    .name = std::string(PROV_TRY(owner.TextOr("name", ""))),
                    .group = std::string(GroupOf(PROV_TRY(owner.TextOr("apiVersion", ""))))};
  }
  return std::nullopt;
}

bool LacksWhatThePolicyGives(const PodEnvObject& made) {
  return made.adds_volume || std::ranges::any_of(made.containers, [](const PodContainer& container) {
           return !container.added.empty() || !container.stale.empty() || container.mounts;
         });
}

}  // namespace

Result<void> PodRuns::AddOwners(const Object& page, std::string_view group, std::string_view kind) {
  return source::VisitValues(*page.document, [&](const source::DocumentValue& one) -> Result<void> {
    if (!one.value->IsObject()) return {};
    const ObjectView object = PROV_TRY(ObjectView::Of(*one.value, one.path));
    const auto metadata = PROV_TRY(object.Object("metadata"));
    if (!metadata) return {};
    const std::string_view name_space = PROV_TRY(metadata->TextOr("namespace", ""));
    auto owner = PROV_TRY(ControllerOf(metadata, name_space));
    if (!owner) return {};
    Workload key{.name_space = std::string(name_space),
                 .kind = std::string(kind),
                 .name = std::string(PROV_TRY(metadata->TextOr("name", ""))),
                 .group = std::string(group)};
    owners_.insert_or_assign(std::move(key), *std::move(owner));
    return {};
  });
}

bool PodRuns::IsOutdated(std::string_view digest, const PodEnvObject& made) const {
  if (made.opted_out && !request_.trust) return false;
  return digest.empty() ? LacksWhatThePolicyGives(made) : digest != digest_;
}

Result<void> PodRuns::AddPod(const ObjectView& pod, const PodEnvObject& made) {
  if (!selects_(made.name_space)) return {};
  const auto metadata = PROV_TRY(pod.Object("metadata"));
  const auto annotations = metadata ? PROV_TRY(metadata->Object("annotations")) : std::nullopt;
  if (annotations && annotations->Has(kMirrorPod)) return {};
  if (metadata && metadata->Find("deletionTimestamp") != nullptr) return {};
  const auto status = PROV_TRY(pod.Object("status"));
  const std::string_view phase = status ? PROV_TRY(status->TextOr("phase", "")) : "";
  if (phase == "Succeeded" || phase == "Failed") return {};
  Workload workload =
      PROV_TRY(ControllerOf(metadata, made.name_space))
          .value_or(Workload{.name_space = made.name_space, .kind = "Pod", .name = made.name, .group = {}});
  if (const auto found = owners_.find(workload); found != owners_.end()) workload = found->second;
  WorkloadPods& pods = workloads_[workload];
  pods.workload = std::move(workload);
  ++pods.running;
  const std::string_view digest = annotations ? PROV_TRY(annotations->TextOr(kPodParamsAnnotation, "")) : "";
  if (IsOutdated(digest, made)) ++pods.outdated;
  if (std::ranges::any_of(made.containers, &PodContainer::untrusted)) ++pods.untrusted;
  return {};
}

Result<void> PodRuns::AddPods(const Object& page) {
  const source::SourceObjects found = PROV_TRY(source::FindObjects(*page.document));
  if (found.pods.empty()) return {};
  const PodEnvReport report = PROV_TRY(MakePodEnv(page, request_));
  for (std::size_t i = 0; i < found.pods.size(); ++i) PROV_TRY(AddPod(found.pods[i].object, report.objects[i]));
  return {};
}

std::vector<WorkloadPods> PodRuns::Workloads() const {
  std::vector<WorkloadPods> out;
  out.reserve(workloads_.size());
  for (const auto& [workload, pods] : workloads_) out.push_back(pods);
  return out;
}

}  // namespace prov::publish
