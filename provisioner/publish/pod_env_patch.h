// Writes the decisions of pod_env.h as patches that `kubectl patch` accepts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/publish/pod_env.h"

namespace prov::publish {

struct PodVariable {
  std::string name;
  std::string value;
};

struct PatchedContainer {
  std::string name;
  bool has_env = false;  // one variable at least
  std::vector<PodVariable> added;
  std::string mount_path = {};         // where the volume of `PodVolume` is added; "": nowhere
  bool has_mounts = false;             // one at least
  std::vector<std::string> hook = {};  // the command of a postStart hook that is added; empty: none
  bool has_lifecycle = false;

  bool Changes() const { return !added.empty() || !mount_path.empty() || !hook.empty(); }
};

// A volume of a pod that is a ConfigMap.
struct PodVolume {
  std::string name;
  std::string config_map;
  bool is_added = false;     // else it is there already
  bool has_volumes = false;  // one at least
};

struct PatchedList {
  std::string_view list;  // "containers" or "initContainers"
  std::vector<PatchedContainer> containers;
};

// The existing metadata.annotations; an empty object counts as none, as the API server drops it.
enum class AnnotationPlace { kNoMetadata, kNoAnnotations, kAnnotations };

// `path` leads from the object to the pod (source::PodPath). Patches are null for PatchKind::kNone.
class PodPatcher {
 public:
  PodPatcher(PatchKind kind, rapidjson::Document::AllocatorType& memory) : kind_(kind), memory_(memory) {}

  // Null where there is nothing to add, too.
  JsonValue Environment(std::span<const std::string_view> path, const std::vector<PatchedList>& lists,
                        const PodVolume& volume) const;
  // Sets the annotation `name` to "true".
  JsonValue Annotation(std::span<const std::string_view> path, std::string_view name, AnnotationPlace place) const;

 private:
  PatchKind kind_;
  rapidjson::Document::AllocatorType& memory_;
};

}  // namespace prov::publish
