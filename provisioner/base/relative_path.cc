#include "provisioner/base/relative_path.h"

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"

namespace prov {
namespace {

constexpr std::size_t kMostBytes = 240;  // with a folder before it still below Windows' 260

bool IsDevice(std::string_view name) {
  constexpr std::array<std::string_view, 6> kDevices = {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"};
  const std::string stem = AsciiUpper(TrimBlanks(name.substr(0, name.find('.'))));
  if (std::ranges::find(kDevices, stem) != kDevices.end()) return true;
  return stem.size() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT")) && stem[3] >= '0' && stem[3] <= '9';
}

bool IsSafeName(std::string_view name) {
  if (name.empty() || name.ends_with('.') || name.ends_with(' ') || IsDevice(name)) return false;
  return std::ranges::all_of(name, [](char c) {
    return c >= 0x20 && c < 0x7F && std::string_view(R"(\:*?"<>|)").find(c) == std::string_view::npos;
  });
}

}  // namespace

bool IsSafeRelativePath(std::string_view path) {
  return path.size() <= kMostBytes && std::ranges::all_of(Split(path, '/'), IsSafeName);
}

}  // namespace prov
