// Listing a folder without following links. Paths are UTF-8.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/result.h"

namespace prov {

enum class EntryKind { kFile, kFolder, kOther };  // kOther: a link, reparse point, device, socket …

struct FolderEntry {
  std::string path;  // relative to the listed folder, '/' between names
  EntryKind kind = EntryKind::kFile;

  bool operator==(const FolderEntry&) const = default;
};

bool IsFolder(const std::string& path);  // false for a link to a folder

// All entries beneath a folder, sorted by path. Lists links, but does not follow them. Errors: not-found, io, too-large
// (more than `most` entries).
Result<std::vector<FolderEntry>> ListTree(const std::string& folder, std::size_t most);

// Reads a regular file. Errors: those of ReadFile; link (a link, or anything but a regular file).
Result<std::string> ReadRegularFile(const std::string& path, std::uint64_t limit);

}  // namespace prov
