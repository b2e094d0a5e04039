#include "provisioner/payload/payload_folder.h"

#include <fmt/format.h>

#include "provisioner/base/folder.h"

namespace prov::payload {

Result<void> CheckReplaceablePayload(const std::string& folder) {
  constexpr std::size_t kMostEntries = 100000;
  auto entries = ListTree(folder, kMostEntries);
  if (!entries && entries.error().code == Code::kTooLarge) entries.error().code = Code::kTarget;
  if (!entries) return std::unexpected(std::move(entries).error());
  bool manifest = false;
  for (const FolderEntry& entry : *entries) {
    manifest = manifest || entry.path == "manifest.json";
    const bool ours = (entry.kind == EntryKind::kFile && IsPayloadPath(entry.path)) ||
                      (entry.kind == EntryKind::kFolder && IsPayloadFolder(entry.path));
    if (!ours) {
      return Fail(Code::kTarget,
                  fmt::format("the folder holds {}, which is not part of a payload; name another path", entry.path),
                  folder);
    }
  }
  if (manifest || entries->empty()) return {};
  return Fail(Code::kTarget,
              "the folder is not empty and has no manifest.json, so it is not an earlier payload; name another path",
              folder);
}

}  // namespace prov::payload
