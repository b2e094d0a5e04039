#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/windows_api.h"

namespace prov {
namespace {

constexpr std::size_t kDeepest = 256;

// A junction or link counts as neither a folder nor a file.
EntryKind KindOf(DWORD attributes) {
  if ((attributes & (FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE)) != 0) return EntryKind::kOther;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? EntryKind::kFolder : EntryKind::kFile;
}

class Lister {
 public:
  Lister(const std::string& folder, std::size_t most) : folder_(folder), most_(most) {}

  Result<std::vector<FolderEntry>> List() {
    PROV_TRY(Add("", 0));
    std::ranges::sort(out_, {}, &FolderEntry::path);
    return std::move(out_);
  }

 private:
  Result<void> Add(const std::string& below, std::size_t depth) {
    if (depth > kDeepest) return Fail(Code::kTooLarge, fmt::format("is deeper than {} folders", kDeepest), folder_);
    win32::FolderSearch search(win32::Path((below.empty() ? folder_ : folder_ + "\\" + below) + "\\*"));
    for (; search.Has(); search.Next()) {
      const std::string name = win32::Narrow(search.entry().cFileName);
      if (name == "." || name == "..") continue;
      if (out_.size() >= most_) return Fail(Code::kTooLarge, fmt::format("holds more than {} entries", most_), folder_);
      const EntryKind kind = KindOf(search.entry().dwFileAttributes);
      out_.push_back({below.empty() ? name : fmt::format("{}/{}", below, name), kind});
      if (kind == EntryKind::kFolder) PROV_TRY(Add(std::string(out_.back().path), depth + 1));
    }
    // The root of an empty volume does not even have "." and "..".
    const bool empty = search.error() == ERROR_FILE_NOT_FOUND && (!below.empty() || IsFolder(folder_));
    if (search.error() != ERROR_NO_MORE_FILES && !empty) {
      return win32::PathFailure("cannot list the folder", folder_, search.error());
    }
    return {};
  }

  const std::string& folder_;
  std::size_t most_;
  std::vector<FolderEntry> out_;
};

}  // namespace

bool IsFolder(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(win32::Path(path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && KindOf(attributes) == EntryKind::kFolder;
}

Result<std::vector<FolderEntry>> ListTree(const std::string& folder, std::size_t most) {
  return Lister(folder, most).List();
}

Result<std::string> ReadRegularFile(const std::string& path, std::uint64_t limit) {
  const DWORD attributes = GetFileAttributesW(win32::Path(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) return win32::PathFailure("cannot read", path, GetLastError());
  if (KindOf(attributes) != EntryKind::kFile) {
    return Fail(Code::kLink, "is not a regular file; put the file itself there", path);
  }
  return ReadFile(path, limit);
}

}  // namespace prov
