// Entries as files of a folder, and folders of archives.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "images/archive/archive.h"
#include "images/archive/output_folder_posix.h"
#include "provisioner/base/relative_path.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;

Result<void> WriteFile(const fs::path& path, std::string_view bytes, unsigned mode, std::int64_t time_unix) {
  const auto fail = [&](std::string_view what) {
    return Fail(Code::kIo, fmt::format("{}: {}", what, std::strerror(errno)), path.string());
  };
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return fail("cannot create");
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const auto failed = fail("cannot write");
      close(fd);
      return failed;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (close(fd) != 0) return fail("cannot close");
  return SetModeAndTime(path, mode, time_unix);
}

class Folder final : public FileSink {
 public:
  Folder(std::unique_ptr<OutputFolder> folder, std::int64_t time_unix)
      : folder_(std::move(folder)), time_unix_(time_unix) {}

  Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) override {
    if (!IsSafeRelativePath(path)) return Fail(Code::kInternal, "is no path for a folder", std::string(path));
    const fs::path full = folder_->inside() / path;
    if (full.parent_path() != last_) PROV_TRY(MakeFolders(path));
    last_ = full.parent_path();
    return WriteFile(full, bytes, mode, time_unix_);
  }

  Result<void> Finish() override {
    // Last, because every file in a folder changes its time.
    for (const std::string& made : made_) PROV_TRY(SetModeAndTime(folder_->inside() / made, 0755, time_unix_));
    return folder_->Keep(time_unix_);
  }

 private:
  Result<void> MakeFolders(std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      const fs::path folder = folder_->inside() / path.substr(0, slash);
      if (mkdir(folder.c_str(), 0755) == 0) {
        made_.emplace_back(path.substr(0, slash));
      } else if (errno != EEXIST) {
        return Fail(Code::kIo, fmt::format("cannot make the folder: {}", std::strerror(errno)), folder.string());
      }
    }
    return {};
  }

  std::unique_ptr<OutputFolder> folder_;
  std::int64_t time_unix_;
  fs::path last_;
  std::vector<std::string> made_;
};

class Archives final : public ArchiveFolder {
 public:
  Archives(std::unique_ptr<OutputFolder> folder, std::int64_t time_unix)
      : folder_(std::move(folder)), time_unix_(time_unix) {}

  Result<std::unique_ptr<FileSink>> Make(const std::string& name, const ArchiveOptions& options) override {
    names_.push_back({name, options.mode});
    ArchiveOptions inside = options;
    inside.flush = false;
    return MakeArchive((folder_->inside() / name).string(), inside);
  }

  Result<void> Finish() override {
    for (const auto& [name, mode] : names_) PROV_TRY(SetModeAndTime(folder_->inside() / name, mode, time_unix_));
    return folder_->Keep(time_unix_);
  }

 private:
  std::unique_ptr<OutputFolder> folder_;
  std::int64_t time_unix_;
  std::vector<std::pair<std::string, unsigned>> names_;
};

}  // namespace

Result<std::unique_ptr<FileSink>> MakeFolder(const std::string& path, std::int64_t time_unix) {
  return std::make_unique<Folder>(PROV_TRY(OutputFolder::Create(path)), time_unix);
}

Result<std::unique_ptr<ArchiveFolder>> MakeArchiveFolder(const std::string& path, std::int64_t time_unix) {
  return std::make_unique<Archives>(PROV_TRY(OutputFolder::Create(path)), time_unix);
}

}  // namespace prov::images
