#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "provisioner/base/posix_api.h"
#include "provisioner/machine/lock.h"

namespace prov::machine {

Lock::~Lock() {
  if (handle_ != kNone) close(static_cast<int>(handle_));
}

Result<Lock> AcquireLock(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kLockFile);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return posix::Failure(Code::kIo, "cannot open the lock", path);
  Lock lock(fd);
  int result = 0;
  do {
    result = flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return lock;
  if (errno == EWOULDBLOCK) return Fail(Code::kLock, "another run is at work: wait until it has ended", path);
  return posix::Failure(Code::kIo, "cannot lock", path);
}

}  // namespace prov::machine
