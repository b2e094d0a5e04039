// Several Ignition configs, merged by `replace`, `merge` (3.x) and `append` (2.x). Holds views into the documents, no
// copies.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ignition/fetch_scope.h"
#include "ignition/fetcher.h"
#include "ignition/limits.h"
#include "ignition/version.h"
#include "provisioner/base/json.h"
#include "provisioner/base/result.h"

namespace prov::ignition {

// One of the merged configs.
struct ConfigPart {
  std::unique_ptr<JsonDocument> owner;  // keeps `root` alive; may hold more than the config
  const JsonValue* root = nullptr;      // an object that passed CheckEntries()
  SpecVersion version;
  std::string prefix;                             // JSON path of `root`, e.g. $.spec.config
  std::uint32_t scope = FetchScopes::kOutermost;  // index in `scopes`, for its references
};

constexpr std::uint32_t kNone = 0xFFFFFFFF;

// An entry of one config. Entries for the same path (or unit name) form a chain from the highest to the lowest
// priority.
struct Layer {
  const JsonValue* entry = nullptr;
  std::uint32_t part = 0;   // index of the config in `parts`
  std::uint32_t index = 0;  // within its list
  std::uint32_t below = kNone;
};

enum class NodeKind : std::uint8_t { kFile, kDirectory, kLink };

struct MergedNode {
  std::string_view path;
  std::uint32_t top = kNone;  // index in `layers`
  NodeKind kind = NodeKind::kFile;
};

struct UnitNode {
  std::string_view name;
  std::uint32_t top = kNone;
};

struct MergedConfig {
  std::string version_text;
  std::vector<ConfigPart> parts;
  std::vector<Layer> layers;
  std::vector<MergedNode> nodes;  // in order of first appearance
  std::unordered_map<std::string_view, std::uint32_t> node_by_path;
  std::vector<UnitNode> units;
  std::unordered_map<std::string_view, std::uint32_t> unit_by_name;
  Limits limits;
  Fetcher* fetcher = nullptr;
  FetchScopes scopes;
  std::vector<std::unique_ptr<JsonDocument>> replaced;  // replaced configs, of which only the entries in `scopes` count

  // Merges `part` over the existing configs: its fields override theirs, append lists grow (2.x: the whole entry
  // replaces theirs, or is appended). Errors: duplicate-path, invalid-config (duplicate unit or drop-in), type, and
  // those of CheckEntries().
  Result<void> Add(ConfigPart part);

  // The node at `path`, or nullptr.
  const MergedNode* Find(std::string_view path) const;

  // The entries of a chain, from the lowest to the highest priority.
  std::vector<const Layer*> LayersUpFrom(std::uint32_t top) const;

  // E.g. $.spec.config.storage.files[3]
  std::string PathOf(const MergedNode& node) const;
  std::string FilePathOf(const Layer& layer) const;
  std::string UnitPathOf(const Layer& layer) const;
};

}  // namespace prov::ignition
