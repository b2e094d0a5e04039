#include "provisioner/payload/payload_folder.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "provisioner/base/folder.h"
#include "provisioner/payload/manifest.h"
#include "provisioner/payload/node_files.h"
#include "provisioner/payload/node_list.h"

namespace prov::payload {
namespace {

constexpr std::size_t kMostInPayload = 100'000;

bool IsOfPayload(EntryKind kind, std::string_view path) {
  return (kind == EntryKind::kFile && IsPayloadPath(path)) || (kind == EntryKind::kFolder && IsPayloadFolder(path));
}

// Of the folder of many nodes: common/ with a payload, nodes/NAME/ with the files of each.
bool IsOfNodes(EntryKind kind, std::string_view path) {
  if (path.starts_with(kCommonFolder)) return IsOfPayload(kind, path.substr(kCommonFolder.size()));
  if (!path.starts_with(kNodesFolder)) return kind == EntryKind::kFolder && (path == "common" || path == "nodes");
  const std::string_view below = path.substr(kNodesFolder.size());
  const std::size_t slash = below.find('/');
  if (slash == std::string_view::npos) return kind == EntryKind::kFolder;
  return kind == EntryKind::kFile && IsNodeFile(below.substr(slash + 1));
}

struct EarlierOutput {
  std::size_t most = 0;  // entries
  std::string manifest;
  std::string_view name;
  bool (*is_ours)(EntryKind kind, std::string_view path);
};

Result<void> CheckReplaceable(const std::string& folder, const EarlierOutput& earlier) {
  auto entries = ListTree(folder, earlier.most);
  if (!entries && entries.error().code == Code::kTooLarge) entries.error().code = Code::kTarget;
  if (!entries) return std::unexpected(std::move(entries).error());
  bool manifest = false;
  for (const FolderEntry& entry : *entries) {
    manifest = manifest || entry.path == earlier.manifest;
    if (!earlier.is_ours(entry.kind, entry.path)) {
      return Fail(
          Code::kTarget,
          fmt::format("the folder holds {}, which is not part of {}; name another path", entry.path, earlier.name),
          folder);
    }
  }
  if (manifest || entries->empty()) return {};
  return Fail(Code::kTarget,
              fmt::format("the folder is not empty and has no {}, so it is not an earlier payload; name another path",
                          earlier.manifest),
              folder);
}

}  // namespace

Result<void> CheckReplaceablePayload(const std::string& folder) {
  return CheckReplaceable(folder, {kMostInPayload, std::string(kManifestName), "a payload", IsOfPayload});
}

Result<void> CheckReplaceableNodes(const std::string& folder) {
  constexpr std::size_t kMostOfNode = 8;  // its folder and files
  return CheckReplaceable(folder,
                          {kMostInPayload + kMostNodes * kMostOfNode, fmt::format("{}{}", kCommonFolder, kManifestName),
                           "what --nodes writes", IsOfNodes});
}

}  // namespace prov::payload
