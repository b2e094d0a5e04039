#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "provisioner/base/opened_file.h"
#include "provisioner/base/posix_api.h"

namespace prov {

Result<std::uint64_t> SizeOfOpened(NativeFile file, const std::string& where) {
  struct stat info{};
  if (fstat(static_cast<int>(file), &info) != 0) return posix::Failure(Code::kIo, "cannot read", where);
  if (S_ISDIR(info.st_mode)) return Fail(Code::kIo, "is a folder; give a file", where);
  return S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

Result<std::size_t> ReadSome(NativeFile file, char* to, std::size_t size, const std::string& where) {
  for (;;) {
    const ssize_t got = read(static_cast<int>(file), to, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return posix::Failure(Code::kIo, "cannot read", where);
  }
}

}  // namespace prov
