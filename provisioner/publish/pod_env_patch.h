// Writes the decisions of pod_env.h as patches for `kubectl patch`.
#pragma once

#include <cstddef>
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

struct ReplacedVariable {
  PodVariable variable;
  std::size_t index = 0;  // in the container's env
};

struct PatchedContainer {
  std::string name;
  bool has_env = false;  // has at least one variable
  std::vector<PodVariable> added;
  std::vector<ReplacedVariable> replaced = {};
  std::string mount_path = {};         // where the volume of `PodVolume` is mounted; "": it is not
  bool has_mounts = false;             // has at least one mount
  std::vector<std::string> hook = {};  // command of the added postStart hook; empty: none is added
  bool has_lifecycle = false;

  bool Changes() const { return !added.empty() || !replaced.empty() || !mount_path.empty() || !hook.empty(); }
};

// A volume of a pod that is a ConfigMap.
struct PodVolume {
  std::string name;
  std::string config_map;
  bool is_added = false;               // false: the pod has it already
  bool has_volumes = false;            // the pod has at least one volume
  bool is_taken = false;               // another volume has the name, so nothing is added
  std::vector<std::string> same = {};  // the names under which a container may mount this ConfigMap
};

struct PatchedList {
  std::string_view list;  // "containers" or "initContainers"
  std::vector<PatchedContainer> containers;
};

// `path`: the members from the object to the pod (source::PodPath). Patches are null for PatchKind::kNone.
class PodPatcher {
 public:
  PodPatcher(PatchKind kind, rapidjson::Document::AllocatorType& memory) : kind_(kind), memory_(memory) {}

  // Also null if there is nothing to add.
  JsonValue Environment(std::span<const std::string_view> path, const std::vector<PatchedList>& lists,
                        const PodVolume& volume) const;

 private:
  PatchKind kind_;
  rapidjson::Document::AllocatorType& memory_;
};

}  // namespace prov::publish
