#include "provisioner/router/policy_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/publish/objects.h"
#include "provisioner/source/object_view.h"
#include "provisioner/source/pod_environment_source.h"

namespace prov::router {
namespace {

constexpr std::size_t kMostObjects = 10'000;
constexpr std::array<std::string_view, 3> kClusterKinds = {"Network", "Infrastructure", "EgressIP"};

class Walk {
 public:
  explicit Walk(PolicyParts& parts) : parts_(parts) {}

  Result<void> AddFile(const PolicyFile& file) { return Try(ReadFile(file), file.where); }

  Result<void> VisitObjects() {
    for (const RouterObject& object : objects_) {
      if (std::ranges::find(kClusterKinds, object.kind) != kClusterKinds.end())
        PROV_TRY(Try(parts_.Cluster(object), object.where));
    }
    ConfigMaps maps(objects_);
    for (const RouterObject& object : objects_) {
      if (object.kind == "EgressRouter") PROV_TRY(Try(parts_.EgressRouter(object), object.where));
      if (source::IsPodKind(object.kind)) PROV_TRY(Try(parts_.Pod(object, maps), object.where));
    }
    // One that a pod uses is part of the pod's router.
    const bool alone = parts_.IsEmpty() && maps.size() == 1;
    for (const RouterObject& object : objects_) {
      if (object.kind != "ConfigMap" || maps.IsTaken(object)) continue;
      PROV_TRY(Try(parts_.Map(object, alone), object.where));
    }
    return {};
  }

 private:
  // Adds the file to an error whose place names none.
  Result<void> Try(Result<void> part, const std::string& where) {
    if (part) return {};
    Error error = std::move(part).error();
    const bool named = error.where.starts_with(where) || error.where.starts_with("--");
    return parts_.Failed(named ? std::move(error) : FailIn(where, std::move(error)).error());
  }

  Result<void> ReadFile(const PolicyFile& file) {
    std::string text = file.bytes;
    if (!DecodeMarked(text)) return Fail(Code::kDestination, "is UTF-16 that is cut short or damaged", file.where);
    const FileForm form = FormOf(text);
    if (form == FileForm::kList) return parts_.List(text, file.where);
    text = parts_.Prepare(std::move(text), file.where);
    if (form == FileForm::kAssignments) return parts_.Assignments(text, file.where);
    publish::Object read = PROV_TRY(publish::ReadManifest(std::move(text), file.where));
    const JsonDocument& document = *documents_.emplace_back(std::move(read.document));
    return source::VisitValues(document, [&](const source::DocumentValue& one) -> Result<void> {
      if (!one.value->IsObject()) return {};
      return AddObject(one, file.where);
    });
  }

  Result<void> AddObject(const source::DocumentValue& one, const std::string& where) {
    if (objects_.size() == kMostObjects)
      return Fail(Code::kTooLarge, fmt::format("more than {} objects are in the files", kMostObjects), where);
    auto view = source::ObjectView::Of(*one.value, one.path);
    if (!view) return FailIn(where, std::move(view).error());
    objects_.push_back({*view, std::string(one.kind), where});
    return {};
  }

  PolicyParts& parts_;
  std::vector<std::unique_ptr<JsonDocument>> documents_;  // own the values that `objects_` refer to
  std::vector<RouterObject> objects_;
};

}  // namespace

FileForm FormOf(std::string_view bytes) {
  if (ignition::BeginsAsJson(bytes)) return FileForm::kObjects;
  constexpr std::array<std::string_view, 6> kMembers = {
      "apiVersion:", "kind:", "metadata:", "spec:", "items:", "data:"};
  for (std::string_view line : Split(bytes, '\n')) {
    if (line.starts_with("- ")) line.remove_prefix(2);
    if (std::ranges::any_of(kMembers, [&](std::string_view member) { return line.starts_with(member); }))
      return FileForm::kObjects;
    line = TrimBlanks(line);
    if (line.starts_with("export ")) line.remove_prefix(7);
    if (line.starts_with("EGRESS_") && line.find('=') != std::string_view::npos) return FileForm::kAssignments;
  }
  return FileForm::kList;
}

Result<void> WalkFiles(const std::vector<PolicyFile>& files, PolicyParts& parts) {
  Walk walk(parts);
  for (const PolicyFile& file : files) PROV_TRY(walk.AddFile(file));
  return walk.VisitObjects();
}

}  // namespace prov::router
