#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/posix_api.h"

namespace prov {
namespace {

namespace fs = std::filesystem;

EntryKind KindOf(fs::file_type type) {
  if (type == fs::file_type::regular) return EntryKind::kFile;
  return type == fs::file_type::directory ? EntryKind::kFolder : EntryKind::kOther;
}

}  // namespace

bool IsFolder(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

Result<std::vector<FolderEntry>> ListTree(const std::string& folder, std::size_t most) {
  std::vector<FolderEntry> out;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    if (out.size() >= most) return Fail(Code::kTooLarge, fmt::format("holds more than {} entries", most), folder);
    const fs::file_type type = it->symlink_status(error).type();
    if (error) break;
    out.push_back({it->path().lexically_relative(folder).generic_string(), KindOf(type)});
  }
  if (error) {
    const bool missing = error == std::errc::no_such_file_or_directory;
    return posix::Failure(missing ? Code::kNotFound : Code::kIo, "cannot list the folder", folder, error.value());
  }
  std::ranges::sort(out, {}, &FolderEntry::path);
  return out;
}

Result<std::string> ReadRegularFile(const std::string& path, std::uint64_t limit) {
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0) {
    return posix::Failure(errno == ENOENT ? Code::kNotFound : Code::kIo, "cannot read", path);
  }
  if (!S_ISREG(info.st_mode)) return Fail(Code::kLink, "is not a regular file; put the file itself there", path);
  return ReadFile(path, limit);
}

}  // namespace prov
