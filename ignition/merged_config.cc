#include "ignition/merged_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "ignition/json_path.h"
#include "ignition/schema.h"
#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

std::string_view ListName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kFile:
      return "files";
    case NodeKind::kDirectory:
      return "directories";
    case NodeKind::kLink:
      break;
  }
  return "links";
}

std::string EntryPath(const ConfigPart& part, NodeKind kind, std::uint32_t index) {
  return fmt::format("{}.storage.{}[{}]", part.prefix, ListName(kind), index);
}

// Adds the entries of one config.
class Adder {
 public:
  Adder(MergedConfig& to, std::uint32_t part) : to_(to), part_(part) {}

  Result<void> Storage() {
    const JsonValue* storage = JsonMember(to_.parts[part_].root, "storage");
    for (const NodeKind kind : {NodeKind::kFile, NodeKind::kDirectory, NodeKind::kLink}) {
      const JsonValue* list = JsonMember(storage, ListName(kind));
      if (list == nullptr) continue;
      if (kind == NodeKind::kFile) Reserve(list->Size());
      for (rapidjson::SizeType i = 0; i < list->Size(); ++i) PROV_TRY(Entry(kind, (*list)[i], i));
    }
    return {};
  }

  Result<void> Units() {
    const JsonValue* list = JsonMember(JsonMember(to_.parts[part_].root, "systemd"), "units");
    if (list == nullptr) return {};
    for (rapidjson::SizeType i = 0; i < list->Size(); ++i) PROV_TRY(Unit((*list)[i], i));
    return {};
  }

 private:
  bool IsSpec2() const { return to_.parts[part_].version.major == 2; }

  void Reserve(std::size_t more) {
    to_.layers.reserve(to_.layers.size() + more);
    to_.nodes.reserve(to_.nodes.size() + more);
    to_.node_by_path.reserve(to_.node_by_path.size() + more);
  }

  std::uint32_t Push(const JsonValue& entry, std::uint32_t index, std::uint32_t below) {
    to_.layers.push_back({&entry, part_, index, below});
    return static_cast<std::uint32_t>(to_.layers.size() - 1);
  }

  Result<void> Entry(NodeKind kind, const JsonValue& entry, std::uint32_t index) {
    if (IsSpec2()) {
      // Spec 2 can write into other file systems than the root; those do not matter here.
      const JsonValue* filesystem = JsonMember(&entry, "filesystem");
      if (filesystem != nullptr && JsonTextOf(*filesystem) != "root" && filesystem->GetStringLength() != 0) return {};
    }
    const std::string_view path = JsonTextOf(*JsonMember(&entry, "path"));
    const auto [at, is_new] = to_.node_by_path.try_emplace(path, static_cast<std::uint32_t>(to_.nodes.size()));
    if (is_new) {
      to_.nodes.push_back({path, Push(entry, index, kNone), kind});
      return {};
    }
    MergedNode& node = to_.nodes[at->second];
    if (IsSpec2()) {
      ReplaceInSpec2(node, kind, entry, index);
      return {};
    }
    if (to_.layers[node.top].part == part_) return Duplicate(node, kind, index);
    const bool same_list = node.kind == kind;
    node.top = Push(entry, index, same_list ? node.top : kNone);
    node.kind = kind;
    return {};
  }

  // Spec 2: the last entry replaces the others completely, unless it appends. If their kinds differ, this keeps the
  // kind that a reader can't follow.
  void ReplaceInSpec2(MergedNode& node, NodeKind kind, const JsonValue& entry, std::uint32_t index) {
    if (kind < node.kind) return;
    const JsonValue* append = JsonMember(&entry, "append");
    const bool appends = kind == node.kind && append != nullptr && append->GetBool();
    node.top = Push(entry, index, appends ? node.top : kNone);
    node.kind = kind;
  }

  Result<void> Duplicate(const MergedNode& node, NodeKind kind, std::uint32_t index) const {
    return Fail(
        Code::kDuplicatePath,
        fmt::format("the path \"{}\" has two entries; the other one is {}", Shorten(node.path), to_.PathOf(node)),
        EntryPath(to_.parts[part_], kind, index) + ".path");
  }

  Result<void> Unit(const JsonValue& unit, std::uint32_t index) {
    const std::string_view name = JsonTextOf(*JsonMember(&unit, "name"));
    if (!IsSpec2()) PROV_TRY(CheckDropInNames(unit, index));
    const auto [at, is_new] = to_.unit_by_name.try_emplace(name, static_cast<std::uint32_t>(to_.units.size()));
    if (is_new) {
      to_.units.push_back({name, Push(unit, index, kNone)});
      return {};
    }
    UnitNode& node = to_.units[at->second];
    if (!IsSpec2() && to_.layers[node.top].part == part_) {
      return Fail(Code::kInvalidConfig,
                  fmt::format("the unit \"{}\" has two entries; the other one is {}", Shorten(name),
                              to_.UnitPathOf(to_.layers[node.top])),
                  fmt::format("{}.systemd.units[{}].name", to_.parts[part_].prefix, index));
    }
    node.top = Push(unit, index, node.top);
    return {};
  }

  Result<void> CheckDropInNames(const JsonValue& unit, std::uint32_t index) const {
    const JsonValue* list = JsonMember(&unit, "dropins");
    if (list == nullptr || list->Size() < 2) return {};
    std::unordered_set<std::string_view> names;
    for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
      const std::string_view name = JsonTextOf(*JsonMember(&(*list)[i], "name"));
      if (names.insert(name).second) continue;
      return Fail(Code::kInvalidConfig, fmt::format("the drop-in \"{}\" has two entries", Shorten(name)),
                  fmt::format("{}.systemd.units[{}].dropins[{}].name", to_.parts[part_].prefix, index, i));
    }
    return {};
  }

  MergedConfig& to_;
  std::uint32_t part_;
};

}  // namespace

Result<void> MergedConfig::Add(ConfigPart part) {
  PROV_TRY(CheckEntries(*part.root, part.version, JsonPath(part.prefix)));
  parts.push_back(std::move(part));
  Adder adder(*this, static_cast<std::uint32_t>(parts.size() - 1));
  PROV_TRY(adder.Storage());
  return adder.Units();
}

const MergedNode* MergedConfig::Find(std::string_view path) const {
  const auto at = node_by_path.find(path);
  return at == node_by_path.end() ? nullptr : &nodes[at->second];
}

std::vector<const Layer*> MergedConfig::LayersUpFrom(std::uint32_t top) const {
  std::vector<const Layer*> out;
  for (std::uint32_t at = top; at != kNone; at = layers[at].below) out.push_back(&layers[at]);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string MergedConfig::PathOf(const MergedNode& node) const {
  const Layer& top = layers[node.top];
  return EntryPath(parts[top.part], node.kind, top.index);
}

std::string MergedConfig::FilePathOf(const Layer& layer) const {
  return EntryPath(parts[layer.part], NodeKind::kFile, layer.index);
}

std::string MergedConfig::UnitPathOf(const Layer& layer) const {
  return fmt::format("{}.systemd.units[{}]", parts[layer.part].prefix, layer.index);
}

}  // namespace prov::ignition
