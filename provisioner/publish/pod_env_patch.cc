#include "provisioner/publish/pod_env_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace prov::publish {
namespace {

using PatchMemory = rapidjson::Document::AllocatorType;

JsonValue Text(std::string_view text, PatchMemory& memory) {
  return JsonValue(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory);
}

// An object with one member.
JsonValue Holding(std::string_view name, JsonValue value, PatchMemory& memory) {
  JsonValue out(rapidjson::kObjectType);
  out.AddMember(Text(name, memory), std::move(value), memory);
  return out;
}

JsonValue Variable(const PodVariable& variable, PatchMemory& memory) {
  JsonValue out = Holding("name", Text(variable.name, memory), memory);
  out.AddMember("value", Text(variable.value, memory), memory);
  return out;
}

JsonValue VariableList(const PatchedContainer& container, PatchMemory& memory) {
  JsonValue out(rapidjson::kArrayType);
  for (const ReplacedVariable& one : container.replaced) out.PushBack(Variable(one.variable, memory), memory);
  for (const PodVariable& variable : container.added) out.PushBack(Variable(variable, memory), memory);
  return out;
}

bool AddsSomething(const PatchedList& list) { return std::ranges::any_of(list.containers, &PatchedContainer::Changes); }

JsonValue Mount(const PatchedContainer& container, const PodVolume& volume, PatchMemory& memory) {
  JsonValue out = Holding("name", Text(volume.name, memory), memory);
  out.AddMember("mountPath", Text(container.mount_path, memory), memory);
  out.AddMember("readOnly", true, memory);
  return out;
}

JsonValue Volume(const PodVolume& volume, PatchMemory& memory) {
  JsonValue out = Holding("name", Text(volume.name, memory), memory);
  out.AddMember("configMap", Holding("name", Text(volume.config_map, memory), memory), memory);
  return out;
}

JsonValue Alone(JsonValue item, PatchMemory& memory) {
  JsonValue out(rapidjson::kArrayType);
  out.PushBack(std::move(item), memory);
  return out;
}

JsonValue Hook(const PatchedContainer& container, PatchMemory& memory) {
  JsonValue command(rapidjson::kArrayType);
  for (const std::string& word : container.hook) command.PushBack(Text(word, memory), memory);
  return Holding("exec", Holding("command", std::move(command), memory), memory);
}

// Only the containers that are changed: the patch would create one that has been removed meanwhile, without an image.
JsonValue MergedContainers(const PatchedList& list, const PodVolume& volume, PatchMemory& memory) {
  JsonValue out(rapidjson::kArrayType);
  for (const PatchedContainer& container : list.containers) {
    if (!container.Changes()) continue;
    JsonValue item = Holding("name", Text(container.name, memory), memory);
    if (!container.added.empty() || !container.replaced.empty())
      item.AddMember("env", VariableList(container, memory), memory);
    if (!container.mount_path.empty())
      item.AddMember("volumeMounts", Alone(Mount(container, volume, memory), memory), memory);
    if (!container.hook.empty())
      item.AddMember("lifecycle", Holding("postStart", Hook(container, memory), memory), memory);
    out.PushBack(std::move(item), memory);
  }
  return out;
}

JsonValue MergePatch(std::span<const std::string_view> path, const std::vector<PatchedList>& lists,
                     const PodVolume& volume, PatchMemory& memory) {
  JsonValue spec(rapidjson::kObjectType);
  for (const PatchedList& list : lists) {
    if (AddsSomething(list)) spec.AddMember(Text(list.list, memory), MergedContainers(list, volume, memory), memory);
  }
  if (volume.is_added) spec.AddMember("volumes", Alone(Volume(volume, memory), memory), memory);
  JsonValue pod = Holding("spec", std::move(spec), memory);
  for (const std::string_view name : std::views::reverse(path)) pod = Holding(name, std::move(pod), memory);
  return pod;
}

// A JSON pointer (RFC 6901) to the pod. No name needs an escape.
std::string PointerTo(std::span<const std::string_view> path) {
  std::string out;
  for (const std::string_view name : path) out += fmt::format("/{}", name);
  return out;
}

class Operations {
 public:
  explicit Operations(PatchMemory& memory) : memory_(memory) {}

  void Put(std::string_view operation, const std::string& pointer, JsonValue value) {
    JsonValue out = Holding("op", Text(operation, memory_), memory_);
    out.AddMember("path", Text(pointer, memory_), memory_);
    out.AddMember("value", std::move(value), memory_);
    list_.PushBack(std::move(out), memory_);
  }

  // Appends an item to a list that may not exist.
  void Append(const std::string& list, bool is_there, JsonValue item) {
    if (is_there) {
      Put("add", list + "/-", std::move(item));
    } else {
      Put("add", list, Alone(std::move(item), memory_));
    }
  }

  void Container(const PatchedContainer& container, const PodVolume& volume, const std::string& pointer) {
    // Test the name: another container may be at this index by now.
    Put("test", pointer + "/name", Text(container.name, memory_));
    for (const ReplacedVariable& one : container.replaced) {
      const std::string entry = fmt::format("{}/env/{}", pointer, one.index);
      Put("test", entry + "/name", Text(one.variable.name, memory_));
      Put("replace", entry, Variable(one.variable, memory_));
    }
    if (!container.has_env && !container.added.empty()) {
      Put("add", pointer + "/env", VariableList(container, memory_));
    } else {
      for (const PodVariable& variable : container.added) Put("add", pointer + "/env/-", Variable(variable, memory_));
    }
    if (!container.mount_path.empty())
      Append(pointer + "/volumeMounts", container.has_mounts, Mount(container, volume, memory_));
    if (container.hook.empty()) return;
    JsonValue hook = Hook(container, memory_);
    if (container.has_lifecycle) {
      Put("add", pointer + "/lifecycle/postStart", std::move(hook));
    } else {
      Put("add", pointer + "/lifecycle", Holding("postStart", std::move(hook), memory_));
    }
  }

  JsonValue Take() { return std::move(list_); }

 private:
  PatchMemory& memory_;
  JsonValue list_{rapidjson::kArrayType};
};

JsonValue ContainerOperations(const std::string& pod, const std::vector<PatchedList>& lists, const PodVolume& volume,
                              PatchMemory& memory) {
  Operations out(memory);
  for (const PatchedList& list : lists) {
    std::size_t index = 0;
    for (const PatchedContainer& container : list.containers) {
      const std::string pointer = fmt::format("{}/spec/{}/{}", pod, list.list, index++);
      if (container.Changes()) out.Container(container, volume, pointer);
    }
  }
  if (volume.is_added) out.Append(pod + "/spec/volumes", volume.has_volumes, Volume(volume, memory));
  return out.Take();
}

}  // namespace

JsonValue PodPatcher::Environment(std::span<const std::string_view> path, const std::vector<PatchedList>& lists,
                                  const PodVolume& volume) const {
  const bool changes = volume.is_added || std::ranges::any_of(lists, AddsSomething);
  if (kind_ == PatchKind::kNone || !changes) return {};
  return kind_ == PatchKind::kStrategic ? MergePatch(path, lists, volume, memory_)
                                        : ContainerOperations(PointerTo(path), lists, volume, memory_);
}

JsonValue EmptyPatch(PatchKind kind) {
  return JsonValue(kind == PatchKind::kJson ? rapidjson::kArrayType : rapidjson::kObjectType);
}

}  // namespace prov::publish
