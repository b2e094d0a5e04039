#include "provisioner/base/opened_file.h"

#include <fmt/format.h>

namespace prov {
namespace {

// Reads until `out` has `size` bytes or the file ends; returns the number of bytes read.
Result<std::size_t> Append(NativeFile file, std::string& out, std::size_t size, const std::string& where) {
  const std::size_t before = out.size();
  Result<std::size_t> got = 0;
  out.resize_and_overwrite(size, [&](char* to, std::size_t) {
    std::size_t used = before;
    while (used < size) {
      got = ReadSome(file, to + used, size - used, where);
      if (!got || *got == 0) break;
      used += *got;
    }
    return used;
  });
  if (!got) return got;
  return out.size() - before;
}

// Twice the size, but at most one byte beyond the limit, which is enough to detect that it is exceeded.
std::size_t Grown(std::size_t size, std::uint64_t limit) {
  const std::size_t twice = size < 65536 ? 65536 : size * 2;
  return limit < twice && size <= limit ? static_cast<std::size_t>(limit) + 1 : twice;
}

}  // namespace

Result<std::string> ReadOpened(NativeFile file, const std::string& where, std::uint64_t limit) {
  const auto too_large = [&] { return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes", limit), where); };
  const std::uint64_t expected = PROV_TRY(SizeOfOpened(file, where));
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
