#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "provisioner/base/opened_file.h"
#include "provisioner/machine/followed_file.h"

namespace prov::machine {
namespace {

std::unexpected<Error> SystemError(std::string_view what, const std::string& path) {
  const int error = errno;
  const bool missing = error == ENOENT || error == ENOTDIR;
  return Fail(missing ? Code::kNotFound : Code::kIo, fmt::format("{}: {}", what, std::strerror(error)), path);
}

class UnixPath final : public OpenedPath {
 public:
  UnixPath(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  UnixPath(const UnixPath&) = delete;
  UnixPath& operator=(const UnixPath&) = delete;
  ~UnixPath() override { close(fd_); }

  int fd() const { return fd_; }

  Result<void> Check(const FollowedStep& step) override {
    struct stat info{};
    if (fstat(fd_, &info) != 0) return SystemError("cannot look at it", path_);
    const UnixFacts facts{S_ISLNK(info.st_mode), S_ISDIR(info.st_mode), info.st_uid, info.st_mode & 07777U};
    return CheckUnixSecurity(facts, geteuid(), step.path);
  }

  // A pipe would be waited for.
  Result<std::string> Read(std::uint64_t limit) override {
    struct stat info{};
    if (fstat(fd_, &info) != 0) return SystemError("cannot read", path_);
    if (!S_ISREG(info.st_mode)) return Fail(Code::kIo, "is no plain file", path_);
    return ReadOpened(fd_, path_, limit);
  }

 private:
  int fd_;
  std::string path_;
};

// Each name is looked up in the folder that is open, so what its path leads to by now does not matter.
class UnixPaths final : public PathOpener {
 public:
  PathStyle style() const override { return PathStyle::kUnix; }

  Result<std::unique_ptr<OpenedPath>> Open(OpenedPath* above, const FollowedStep& step, bool last) override {
    const int folder = above == nullptr ? AT_FDCWD : static_cast<UnixPath*>(above)->fd();
    const std::string name = above == nullptr ? step.path : step.path.substr(step.path.rfind('/') + 1);
    const int flags = O_CLOEXEC | O_NOFOLLOW | (last ? O_RDONLY | O_NONBLOCK : O_PATH);
    const int fd = openat(folder, name.c_str(), flags);
    if (fd >= 0) return std::make_unique<UnixPath>(fd, step.path);
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
