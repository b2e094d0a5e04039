// Entries as files of a folder, and folders of archives.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "images/archive/archive.h"
#include "images/archive/output_file_posix.h"
#include "provisioner/base/beside_posix.h"
#include "provisioner/base/file.h"
#include "provisioner/base/folder.h"
#include "provisioner/base/posix_api.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/result.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostArchives = 200'000;  // in a folder that may be replaced

// A folder that is filled under a temporary name and renamed into place when it is complete.
class OutputFolder {
 public:
  // Errors: target (the path exists and is not an empty folder; no folder can be made there); those of `may_replace`.
  static Result<std::unique_ptr<OutputFolder>> Create(const std::string& path, const MayReplace& may_replace = {});
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  const fs::path& inside() const { return temporary_; }

  // Renames the folder, whose contents must be flushed, into place.
  Result<void> Keep(std::int64_t time_unix);

 private:
  OutputFolder(fs::path path, fs::path temporary, posix::Descriptor held, MadeParents parents)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        held_(std::move(held)),
        parents_(std::move(parents)) {}

  fs::path path_;
  fs::path temporary_;
  posix::Descriptor held_;
  MadeParents parents_;
};

std::unexpected<Error> SystemError(std::string_view what, const fs::path& path) {
  return posix::Failure(Code::kIo, what, path);
}

// Flushes all files in one call.
Result<void> FlushVolume(const fs::path& folder) {
  const posix::Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return SystemError("cannot open the folder", folder);
  if (syncfs(fd.get()) != 0) return SystemError("cannot flush", folder);
  return {};
}

Result<std::unique_ptr<OutputFolder>> OutputFolder::Create(const std::string& path, const MayReplace& may_replace) {
  fs::path target = fs::path(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  if (target.empty() || target == "." || target == "..")
    return Fail(Code::kUsage, "is not a name for a new folder", path);
  std::error_code error;
  const fs::file_status there = fs::symlink_status(target, error);
  const bool folder = there.type() == fs::file_type::directory;
  if (folder && may_replace) {
    PROV_TRY(may_replace(target.string()));
  } else if (there.type() != fs::file_type::not_found && !(folder && fs::is_empty(target, error))) {
    return Fail(Code::kTarget, "exists and is not an empty folder; name another path or remove it", path);
  }
  MadeParents parents = PROV_TRY(MadeParents::Make(target.parent_path()));
  std::string temporary;
  posix::Descriptor held = MakeFolderBeside(target.string(), temporary);
  if (!held) return posix::Failure(Code::kTarget, "cannot make a folder here", path);
  return std::unique_ptr<OutputFolder>(
      new OutputFolder(std::move(target), std::move(temporary), std::move(held), std::move(parents)));
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

// An earlier folder is moved aside first, and deleted last.
Result<void> OutputFolder::Keep(std::int64_t time_unix) {
  PROV_TRY(SetModeAndTime(temporary_, 0755, time_unix));
  const std::string aside = AsideOf(temporary_.string());
  // Hold the folder, so that no other run removes it as a leftover while it is aside.
  const posix::Descriptor earlier(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (earlier && !Hold(earlier))
    return Fail(Code::kTarget, "another run is replacing this folder: wait until it has ended", path_.string());
  if (earlier && rename(path_.c_str(), aside.c_str()) != 0)
    return SystemError("cannot move the earlier folder aside", path_);
  std::string made = temporary_.string();
  Result<void> done = MoveInPlace(made, path_, true);
  if (!made.empty()) {
    if (earlier) rename(aside.c_str(), path_.c_str());
    return done;
  }
  temporary_.clear();
  parents_.Keep();
  std::error_code error;
  if (earlier) fs::remove_all(aside, error);
  if (error) {
    return posix::Failure(Code::kIo, "the new folder is in place, but the earlier one could not be deleted", aside,
                          error.value());
  }
  RemoveReplaced(path_);
  return done;
}

class Folder final : public FileSink {
 public:
  Folder(std::unique_ptr<OutputFolder> folder, std::int64_t time_unix)
      : folder_(std::move(folder)), time_unix_(time_unix) {}

  Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) override {
    if (!IsSafeRelativePath(path)) return Fail(Code::kInternal, "is not a path for a folder", std::string(path));
    const fs::path full = folder_->inside() / path;
    if (full.parent_path() != last_) PROV_TRY(MakeFolders(path));
    last_ = full.parent_path();
    return WriteFile(full, bytes, mode);
  }

  Result<void> Finish() override {
    // Last, because every file in a folder changes the folder's time.
    for (const std::string& made : made_) PROV_TRY(SetModeAndTime(folder_->inside() / made, 0755, time_unix_));
    PROV_TRY(Flush());
    return folder_->Keep(time_unix_);
  }

 private:
  static constexpr std::size_t kMostFlushedSingly = 200;  // flushing thirty thousand files one by one takes a minute

  Result<void> WriteFile(const fs::path& path, std::string_view bytes, unsigned mode) {
    posix::Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return SystemError("cannot create", path);
    if (!posix::WriteAll(fd.get(), bytes)) return SystemError("cannot write", path);
    PROV_TRY(prov::FinishFile(fd, mode, ++files_ <= kMostFlushedSingly, path));
    return SetTime(path, time_unix_);
  }

  Result<void> Flush() const {
    if (files_ > kMostFlushedSingly) return FlushVolume(folder_->inside());
    for (const std::string& made : made_) PROV_TRY(FlushFolder((folder_->inside() / made).string()));
    return FlushFolder(folder_->inside().string());
  }

  Result<void> MakeFolders(std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      const fs::path folder = folder_->inside() / path.substr(0, slash);
      if (mkdir(folder.c_str(), 0755) == 0) {
        made_.emplace_back(path.substr(0, slash));
      } else if (errno != EEXIST) {
        return SystemError("cannot make the folder", folder);
      }
    }
    return {};
  }

  std::unique_ptr<OutputFolder> folder_;
  std::int64_t time_unix_;
  fs::path last_;
  std::vector<std::string> made_;
  std::size_t files_ = 0;
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
    PROV_TRY(FlushVolume(folder_->inside()));
    return folder_->Keep(time_unix_);
  }

 private:
  std::unique_ptr<OutputFolder> folder_;
  std::int64_t time_unix_;
  std::vector<std::pair<std::string, unsigned>> names_;
};

}  // namespace

Result<std::unique_ptr<FileSink>> MakeFolder(const std::string& path, std::int64_t time_unix,
                                             const MayReplace& may_replace) {
  return std::make_unique<Folder>(PROV_TRY(OutputFolder::Create(path, may_replace)), time_unix);
}

Result<std::unique_ptr<ArchiveFolder>> MakeArchiveFolder(const std::string& path, const ArchiveOptions& options) {
  const auto may_replace = [&](const std::string& folder) -> Result<void> {
    for (const FolderEntry& entry : PROV_TRY(ListTree(folder, kMostArchives)))
      PROV_TRY(CheckReplaceableArchive(fmt::format("{}/{}", folder, entry.path), options));
    return {};
  };
  return std::make_unique<Archives>(PROV_TRY(OutputFolder::Create(path, may_replace)), options.time_unix);
}

}  // namespace prov::images
