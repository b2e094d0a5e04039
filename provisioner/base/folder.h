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

bool IsFolder(const std::string& path);  // not through a link

// All entries beneath a folder, sorted by path; links are listed, never followed. Errors: not-found, io, too-large
// (more than `most` entries).
Result<std::vector<FolderEntry>> ListTree(const std::string& folder, std::size_t most);

// A regular file's bytes; a link or anything else in its place is refused (link). Errors as ReadFile.
Result<std::string> ReadRegularFile(const std::string& path, std::uint64_t limit);

}  // namespace prov
