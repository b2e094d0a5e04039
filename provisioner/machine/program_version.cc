#include "provisioner/machine/program_version.h"

#include <fmt/format.h>

#include <cstddef>

#include "images/registry/hive_format.h"
#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

using images::regf::Load16;

// The outermost block of the resource: its size and two more numbers, its name, then VS_FIXEDFILEINFO.
constexpr std::size_t kNameAt = 6;
// VS_FIXEDFILEINFO: its signature, its own version, then the file's version as two 32-bit numbers.
constexpr std::string_view kSignature("\xBD\x04\xEF\xFE", 4);
constexpr std::size_t kFileVersion = 8;
constexpr std::size_t kFileVersionSize = 8;
// Two null bytes end the name, and VS_FIXEDFILEINFO is aligned to 4.
constexpr std::size_t kMostPadding = 4;

struct Resource {
  std::string_view block;  // the bytes from its beginning to the end of the file
  std::size_t fixed = 0;   // where VS_FIXEDFILEINFO is in it
};

// nullopt: there is none. The name alone may stand in the code of a program that looks for it.
std::optional<Resource> FindResource(std::string_view bytes) {
  const std::string name = ToUtf16Le("VS_VERSION_INFO");
  for (std::size_t at = bytes.find(name); at != std::string_view::npos; at = bytes.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const std::size_t padding = bytes.substr(end, kMostPadding + kSignature.size()).find(kSignature);
    if (at >= kNameAt && padding != std::string_view::npos) {
      return Resource{bytes.substr(at - kNameAt), kNameAt + name.size() + padding};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string ProgramVersion::Text() const {
  std::string out = fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
  if (parts[3] != 0) out += fmt::format(".{}", parts[3]);
  return out;
}

std::optional<ProgramVersion> ProgramVersionOf(std::string_view bytes) {
  const auto resource = FindResource(bytes);
  if (!resource) return std::nullopt;
  const std::size_t at = resource->fixed + kFileVersion;  // the more significant half of each number comes second
  const std::string_view block = resource->block;
  if (block.size() < at + kFileVersionSize) return std::nullopt;
  return ProgramVersion{{Load16(block, at + 2), Load16(block, at), Load16(block, at + 6), Load16(block, at + 4)}};
}

// The text follows its name, both end in a NUL, and one more aligns it.
std::string ProgramTextOf(std::string_view bytes, std::string_view name) {
  constexpr std::string_view kNul("\0\0", 2);
  const auto resource = FindResource(bytes);
  if (!resource || Load16(resource->block, 0) > resource->block.size()) return "";
  const std::string_view block = resource->block.substr(0, Load16(resource->block, 0));
  const std::string key = ToUtf16Le(name).append(kNul);
  const std::size_t at = block.find(key);
  if (at == std::string_view::npos) return "";
  std::string_view text = block.substr(at + key.size());
  if (text.starts_with(kNul)) text.remove_prefix(kNul.size());
  std::size_t end = 0;
  while (end + 1 < text.size() && text.substr(end, 2) != kNul) end += 2;
  return FromUtf16Le(text.substr(0, end)).value_or("");
}

}  // namespace prov::machine
