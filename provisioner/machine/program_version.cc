#include "provisioner/machine/program_version.h"

#include <fmt/format.h>

#include <cstddef>

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

// VS_FIXEDFILEINFO, which follows the key of a version resource at the next multiple of four bytes: its signature, its
// own version, then the file's version as two 32-bit numbers.
constexpr std::string_view kSignature("\xBD\x04\xEF\xFE\x00\x00\x01\x00", 8);
constexpr std::size_t kFileVersion = kSignature.size();
constexpr std::size_t kFileVersionSize = 8;
// Two null bytes end the key. The header has 6 bytes, and the block is aligned to 4.
constexpr std::size_t kMostPadding = 4;

std::uint16_t Word(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[at]) | static_cast<unsigned char>(bytes[at + 1])
                                                                                << 8U);
}

}  // namespace

std::string ProgramVersion::Text() const {
  std::string out = fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
  if (parts[3] != 0) out += fmt::format(".{}", parts[3]);
  return out;
}

std::optional<ProgramVersion> ProgramVersionOf(std::string_view bytes) {
  const std::string key = ToUtf16Le("VS_VERSION_INFO");
  for (std::size_t at = bytes.find(key); at != std::string_view::npos; at = bytes.find(key, at + 1)) {
    const std::string_view rest = bytes.substr(at + key.size());
    const std::size_t block = rest.substr(0, kMostPadding + kSignature.size()).find(kSignature);
    if (block == std::string_view::npos || rest.size() < block + kFileVersion + kFileVersionSize) continue;
    const std::size_t version = block + kFileVersion;  // the more significant half of each number comes second
    return ProgramVersion{
        {Word(rest, version + 2), Word(rest, version), Word(rest, version + 6), Word(rest, version + 4)}};
  }
  return std::nullopt;
}

}  // namespace prov::machine
