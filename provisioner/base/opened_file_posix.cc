#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "provisioner/base/opened_file.h"
#include "provisioner/base/posix_api.h"

namespace prov {
namespace {

std::unexpected<Error> CannotRead(const std::string& path) { return posix::Failure(Code::kIo, "cannot read", path); }

// Reads until `out` has `size` bytes or the file ends; returns the number of bytes read.
Result<std::size_t> Append(int fd, std::string& out, std::size_t size, const std::string& path) {
  const std::size_t before = out.size();
  bool failed = false;
  out.resize_and_overwrite(size, [&](char* to, std::size_t) {
    std::size_t used = before;
    while (used < size) {
      const ssize_t n = read(fd, to + used, size - used);
      if (n < 0 && errno == EINTR) continue;
      failed = n < 0;
      if (n <= 0) break;
      used += static_cast<std::size_t>(n);
    }
    return used;
  });
  if (failed) return CannotRead(path);
  return out.size() - before;
}

// Twice the size, but at most one byte beyond the limit, which is enough to detect that it is exceeded.
std::size_t Grown(std::size_t size, std::uint64_t limit) {
  const std::size_t twice = size < 65536 ? 65536 : size * 2;
  return limit < twice && size <= limit ? static_cast<std::size_t>(limit) + 1 : twice;
}

}  // namespace

Result<std::string> ReadOpened(NativeFile file, const std::string& where, std::uint64_t limit) {
  const int fd = static_cast<int>(file);
  struct stat info{};
  if (fstat(fd, &info) != 0) return CannotRead(where);
  if (S_ISDIR(info.st_mode)) return Fail(Code::kIo, "is a folder; give a file", where);
  const auto too_large = [&] { return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), where); };
  const std::uint64_t expected = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  if (expected > limit) return too_large();
  std::string out;
  // One byte more than expected detects the end of the file without growing the buffer; parsers that work in place need
  // padding.
  out.reserve(expected + 128);
  for (std::size_t wanted = expected + 1;; wanted = Grown(out.size(), limit)) {
    const std::size_t used = out.size();
    const auto got = PROV_TRY(Append(fd, out, wanted, where));
    if (out.size() > limit) return too_large();
    if (got < wanted - used) return out;
  }
}

}  // namespace prov
