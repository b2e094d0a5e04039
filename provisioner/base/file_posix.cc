#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "provisioner/base/beside_posix.h"
#include "provisioner/base/file.h"
#include "provisioner/base/opened_file.h"

namespace prov {
namespace {

using posix::Descriptor;

std::unexpected<Error> SystemError(std::string_view what, const std::string& path) {
  const int error = errno;
  return posix::Failure(error == ENOENT ? Code::kNotFound : Code::kIo, what, path, error);
}

}  // namespace

Result<std::string> ReadFile(const std::string& path, std::uint64_t limit) {
  if (path == "-") return ReadOpened(STDIN_FILENO, path, limit);
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return SystemError("cannot open", path);
  return ReadOpened(fd.get(), path, limit);
}

unsigned OutputMode(unsigned mode) {
  constexpr mode_t kOthers = 0077;
  if ((mode & kOthers) == 0) return mode;
  // The umask can only be read by setting it. A file that another thread makes meanwhile gets too few rights, not too
  // many.
  const mode_t mask = umask(kOthers);
  umask(mask);
  return mode & ~static_cast<unsigned>(mask);
}

Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes, unsigned mode) {
  std::string temporary;
  Descriptor fd = MakeFileBeside(path, temporary);
  if (!fd) return SystemError("cannot create a file beside it", path);
  const auto write_and_rename = [&]() -> Result<void> {
    if (!posix::WriteAll(fd.get(), bytes)) return SystemError("cannot write", path);
    PROV_TRY(FinishFile(fd, mode, true, path));
    return MoveInPlace(temporary, path, true);
  };
  Result<void> done = write_and_rename();
  if (!done && !temporary.empty()) unlink(temporary.c_str());
  return done;
}

Result<void> FlushFolder(const std::string& folder) {
  const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return SystemError("cannot open the folder", folder);
  // Some file systems refuse fsync on folders; the rename itself is done.
  if (fsync(fd.get()) != 0 && errno != EINVAL) return SystemError("cannot flush the folder", folder);
  return {};
}

Result<void> WriteNewFile(const std::string& path, std::string_view bytes, unsigned mode) {
  Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return SystemError("cannot create", path);
  if (!posix::WriteAll(fd.get(), bytes)) return SystemError("cannot write", path);
  return FinishFile(fd, mode, true, path);
}

}  // namespace prov
