#include "provisioner/publish/pod_runs.h"

#include <algorithm>

#include "provisioner/publish/pod_params.h"
#include "provisioner/source/source_objects.h"

namespace prov::publish {
namespace {

using source::ObjectView;

constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";

std::string Copied(std::string_view text) { return std::string(text); }

// The owner that made the object and makes it again; two empty texts: there is none.
Result<std::pair<std::string, std::string>> ControllerOf(const std::optional<ObjectView>& metadata) {
  if (!metadata) return {};
  for (const ObjectView& owner : PROV_TRY(metadata->Objects("ownerReferences"))) {
    const JsonValue* controller = owner.Find("controller");
    if (controller == nullptr || !controller->IsTrue()) continue;
    return std::pair(Copied(PROV_TRY(owner.TextOr("kind", ""))), Copied(PROV_TRY(owner.TextOr("name", ""))));
  }
  return {};
}

bool LacksWhatThePolicyGives(const PodEnvObject& made) {
  return made.adds_volume || std::ranges::any_of(made.containers, [](const PodContainer& container) {
           return !container.added.empty() || !container.stale.empty() || container.mounts;
         });
}

}  // namespace

Result<void> PodRuns::AddOwners(const Object& page, std::string_view kind) {
  return source::VisitValues(*page.document, [&](const source::DocumentValue& one) -> Result<void> {
    if (!one.value->IsObject()) return {};
    const ObjectView object = PROV_TRY(ObjectView::Of(*one.value, one.path));
    const auto metadata = PROV_TRY(object.Object("metadata"));
    auto owner = PROV_TRY(ControllerOf(metadata));
    if (owner.first.empty()) return {};
    Workload key{.name_space = Copied(PROV_TRY(metadata->TextOr("namespace", ""))),
                 .kind = Copied(kind),
                 .name = Copied(PROV_TRY(metadata->TextOr("name", "")))};
    owners_.insert_or_assign(std::move(key), std::move(owner));
    return {};
  });
}

Workload PodRuns::OwnerOf(const std::string& name_space, const std::string& kind, const std::string& name) const {
  Workload out{.name_space = name_space, .kind = kind, .name = name};
  const auto found = owners_.find(out);
  if (found != owners_.end()) std::tie(out.kind, out.name) = found->second;
  return out;
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
  const auto [kind, name] = PROV_TRY(ControllerOf(metadata));
  Workload workload = kind.empty() ? Workload{.name_space = made.name_space, .kind = "Pod", .name = made.name}
                                   : OwnerOf(made.name_space, kind, name);
  WorkloadPods& pods = workloads_[workload];
  pods.workload = std::move(workload);
  ++pods.running;
  const std::string_view digest = annotations ? PROV_TRY(annotations->TextOr(kPodParamsAnnotation, "")) : "";
  if (IsOutdated(digest, made)) ++pods.outdated;
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
