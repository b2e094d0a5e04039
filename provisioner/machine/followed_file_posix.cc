#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "provisioner/base/opened_file.h"
#include "provisioner/base/posix_api.h"
#include "provisioner/machine/followed_file.h"

namespace prov::machine {
namespace {

std::unexpected<Error> SystemError(std::string_view what, const std::string& path) {
  const int error = errno;
  const bool missing = error == ENOENT || error == ENOTDIR;
  return posix::Failure(missing ? Code::kNotFound : Code::kIo, what, path, error);
}

class UnixPath final : public OpenedPath {
 public:
  UnixPath(posix::Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  int fd() const { return fd_.get(); }

  Result<void> Check(const FollowedStep& step) override {
    struct stat info{};
    if (fstat(fd_.get(), &info) != 0) return SystemError("cannot inspect the path", path_);
    const UnixFacts facts{S_ISLNK(info.st_mode), S_ISDIR(info.st_mode), info.st_uid, info.st_mode & 07777U};
    return CheckUnixSecurity(facts, geteuid(), step.path);
  }

  // Refuses other than plain files: reading a pipe would block.
  Result<std::string> Read(std::uint64_t limit) override {
    struct stat info{};
    if (fstat(fd_.get(), &info) != 0) return SystemError("cannot read", path_);
    if (!S_ISREG(info.st_mode)) return Fail(Code::kIo, "is not a plain file", path_);
    return ReadOpened(fd_.get(), path_, limit);
  }

 private:
  posix::Descriptor fd_;
  std::string path_;
};

// Opens each name relative to the open folder, so a later change of the path has no effect.
class UnixPaths final : public PathOpener {
 public:
  PathStyle style() const override { return PathStyle::kUnix; }

  Result<std::unique_ptr<OpenedPath>> Open(OpenedPath* above, const FollowedStep& step, bool last) override {
    const int folder = above == nullptr ? AT_FDCWD : static_cast<UnixPath*>(above)->fd();
    const std::string name = above == nullptr ? step.path : step.path.substr(step.path.rfind('/') + 1);
    const int flags = O_CLOEXEC | O_NOFOLLOW | (last ? O_RDONLY | O_NONBLOCK : O_PATH);
    posix::Descriptor fd(openat(folder, name.c_str(), flags));
    if (fd) return std::make_unique<UnixPath>(std::move(fd), step.path);
    if (errno == ELOOP) PROV_TRY(CheckUnixSecurity({.link = true}, 0, step.path));
    return SystemError("cannot open", step.path);
  }
};

}  // namespace

PathOpener& LivePaths() {
  static UnixPaths paths;
  return paths;
}

}  // namespace prov::machine
