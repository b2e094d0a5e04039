#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "provisioner/base/posix_api.h"
#include "provisioner/machine/log_file.h"

namespace prov::machine {
namespace {

Result<bool> AppendTo(int fd, std::string_view bytes, std::uint64_t limit, const std::string& path) {
  struct stat status = {};
  if (fstat(fd, &status) != 0) return posix::Failure(Code::kIo, "cannot look at the file", path);
  if (!S_ISREG(status.st_mode)) return Fail(Code::kOwner, "is not a plain file", path);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit || bytes.size() > limit - size) return false;
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  if (written < 0) return posix::Failure(Code::kIo, "cannot write", path);
  if (static_cast<std::size_t>(written) != bytes.size())
    return Fail(Code::kIo, "only a part of the data was written", path);
  return true;
}

}  // namespace

Result<bool> AppendWithin(const std::string& path, std::string_view bytes, std::uint64_t limit) {
  // With O_NONBLOCK, opening a named pipe does not wait for a reader.
  const posix::Descriptor fd(
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!fd) return posix::Failure(Code::kIo, "cannot open", path);
  return AppendTo(fd.get(), bytes, limit, path);
}

Result<void> RenameFile(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return posix::Failure(Code::kIo, "cannot rename", from);
  return {};
}

}  // namespace prov::machine
