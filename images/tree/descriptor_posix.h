// Access to files of images, and to images as files, through file descriptors.
#pragma once

#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "provisioner/base/posix_api.h"
#include "provisioner/base/result.h"

namespace prov::images {

using posix::Descriptor;

// Adds errno to the message. A full or read-only medium is an error of the target.
inline std::unexpected<Error> SystemError(std::string_view what, const std::string& where) {
  const int error = errno;
  const bool target = error == ENOSPC || error == EDQUOT || error == EROFS;
  return posix::Failure(target ? Code::kTarget : Code::kIo, what, where, error);
}

// Takes the lock of an open file or folder that writers take. Errors: lock, with this message; io.
inline Result<void> LockForWriting(int fd, std::string_view taken, const std::string& where) {
  int result = 0;
  do {
    result = flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return {};
  if (errno == EWOULDBLOCK) return Fail(Code::kLock, std::string(taken), where);
  return SystemError("cannot lock it", where);
}

// Writes all bytes at the current position.
inline Result<void> WriteAll(int fd, std::string_view bytes, const std::string& where) {
  if (!posix::WriteAll(fd, bytes)) return SystemError("cannot write", where);
  return {};
}

inline Result<void> WriteAt(int fd, std::uint64_t offset, std::string_view bytes, const std::string& where) {
  while (!bytes.empty()) {
    const ssize_t n = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SystemError("cannot write", where);
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

inline Result<void> Flush(int fd, const std::string& where) {
  if (fsync(fd) != 0) return SystemError("cannot flush", where);
  return {};
}

// Reads up to `size` bytes from `offset` on; fewer at the end of the file.
inline Result<std::string> ReadAt(int fd, std::uint64_t offset, std::size_t size, const std::string& where) {
  std::string out;
  bool failed = false;
  out.resize_and_overwrite(size, [&](char* to, std::size_t) {
    std::size_t used = 0;
    while (used < size) {
      const ssize_t n = pread(fd, to + used, size - used, static_cast<off_t>(offset + used));
      if (n < 0 && errno == EINTR) continue;
      failed = n < 0;
      if (n <= 0) break;
      used += static_cast<std::size_t>(n);
    }
    return used;
  });
  if (failed) return SystemError("cannot read", where);
  return out;
}

// The free bytes, for this process, on the volume of the open file.
inline Result<std::uint64_t> FreeOn(int fd, const std::string& where) {
  struct statvfs info{};
  if (fstatvfs(fd, &info) != 0) return SystemError("cannot ask for free space", where);
  return std::uint64_t{geteuid() == 0 ? info.f_bfree : info.f_bavail} * info.f_frsize;
}

}  // namespace prov::images
