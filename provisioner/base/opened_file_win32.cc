#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/opened_file.h"
#include "provisioner/base/windows_api.h"

namespace prov {
namespace {

constexpr DWORD kMostAtOnce = 1U << 30U;  // of bytes in one call

// Reads until `out` has `size` bytes or the file ends; returns the number of bytes read.
Result<std::size_t> Append(HANDLE file, std::string& out, std::size_t size, const std::string& path) {
  const std::size_t before = out.size();
  DWORD error = ERROR_SUCCESS;
  out.resize_and_overwrite(size, [&](char* to, std::size_t) {
    std::size_t used = before;
    while (used < size) {
      DWORD got = 0;
      const auto wanted = static_cast<DWORD>(std::min<std::size_t>(size - used, kMostAtOnce));
      if (::ReadFile(file, to + used, wanted, &got, nullptr) == 0) error = GetLastError();
      if (got == 0) break;
      used += got;
    }
    return used;
  });
  // The writer of a pipe has closed it: the file ends here.
  if (error != ERROR_SUCCESS && error != ERROR_BROKEN_PIPE && error != ERROR_HANDLE_EOF) {
    return win32::Failure(Code::kIo, "cannot read", path, error);
  }
  return out.size() - before;
}

// Twice the size, but at most one byte beyond the limit, which is enough to detect that it is exceeded.
std::size_t Grown(std::size_t size, std::uint64_t limit) {
  const std::size_t twice = size < 65536 ? 65536 : size * 2;
  return limit < twice && size <= limit ? static_cast<std::size_t>(limit) + 1 : twice;
}

}  // namespace

Result<std::string> ReadOpened(NativeFile opened, const std::string& where, std::uint64_t limit) {
  HANDLE file = reinterpret_cast<HANDLE>(opened);
  const auto too_large = [&] { return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), where); };
  LARGE_INTEGER size{};
  const bool known = GetFileType(file) == FILE_TYPE_DISK && GetFileSizeEx(file, &size) != 0;
  const auto expected = known ? static_cast<std::uint64_t>(size.QuadPart) : 0;
  if (expected > limit) return too_large();
  std::string out;
  // One byte more than expected detects the end of the file without growing the buffer; parsers that work in place need
  // padding.
  out.reserve(expected + 128);
  for (std::size_t wanted = expected + 1;; wanted = Grown(out.size(), limit)) {
    const std::size_t used = out.size();
    const auto got = PROV_TRY(Append(file, out, wanted, where));
    if (out.size() > limit) return too_large();
    if (got < wanted - used) return out;
  }
}

}  // namespace prov
