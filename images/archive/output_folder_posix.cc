#include "images/archive/output_folder_posix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "provisioner/base/file.h"

namespace prov::images {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> SystemError(std::string_view what, const fs::path& path) {
  return Fail(Code::kIo, fmt::format("{}: {}", what, std::strerror(errno)), path.string());
}

// One call for all files: flushing each of thirty thousand takes a minute.
Result<void> FlushVolume(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return SystemError("cannot open the folder", folder);
  const bool done = syncfs(fd) == 0;
  close(fd);
  return done ? Result<void>() : SystemError("cannot flush", folder);
}

}  // namespace

Result<void> SetModeAndTime(const fs::path& path, unsigned mode, std::int64_t time_unix) {
  const timespec time{.tv_sec = static_cast<time_t>(time_unix), .tv_nsec = 0};
  const timespec times[2] = {time, time};
  if (chmod(path.c_str(), OutputMode(mode)) != 0) return SystemError("cannot set the mode", path);
  if (utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) return SystemError("cannot set the time", path);
  return {};
}

Result<std::unique_ptr<OutputFolder>> OutputFolder::Create(const std::string& path) {
  fs::path target = fs::path(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  if (target.empty() || target == "." || target == "..")
    return Fail(Code::kUsage, "is not a name for a new folder", path);
  std::error_code error;
  const fs::file_status there = fs::symlink_status(target, error);
  const bool empty = there.type() == fs::file_type::directory && fs::is_empty(target, error);
  if (there.type() != fs::file_type::not_found && !empty)
    return Fail(Code::kTarget, "exists and is no empty folder; name another path or remove it", path);
  MadeParents parents = PROV_TRY(MadeParents::Make(target.parent_path()));
  std::string temporary;
  Held held = MakeFolderBeside(target.string(), temporary);
  if (held.get() < 0)
    return Fail(Code::kTarget, fmt::format("cannot make a folder here: {}", std::strerror(errno)), path);
  return std::unique_ptr<OutputFolder>(
      new OutputFolder(std::move(target), std::move(temporary), std::move(held), std::move(parents)));
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> OutputFolder::Keep(std::int64_t time_unix) {
  PROV_TRY(SetModeAndTime(temporary_, 0755, time_unix));
  PROV_TRY(FlushVolume(temporary_));
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return SystemError("cannot rename into place", path_);
  temporary_.clear();
  parents_.Keep();
  return FlushFolder(path_.has_parent_path() ? path_.parent_path().string() : ".");
}

}  // namespace prov::images
