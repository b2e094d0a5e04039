#include "provisioner/machine/process_environment.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

unsigned UnitAt(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]) | static_cast<unsigned>(static_cast<unsigned char>(bytes[at + 1])) << 8U;
}

bool IsHigh(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLow(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

std::string ToText(std::string_view utf16) {
  std::string whole(utf16);
  for (std::size_t at = 0; at < whole.size(); at += 2) {
    const bool pair = IsHigh(UnitAt(whole, at)) && at + 2 < whole.size() && IsLow(UnitAt(whole, at + 2));
    if (pair) {
      at += 2;
    } else if (IsHigh(UnitAt(whole, at)) || IsLow(UnitAt(whole, at))) {
      whole.replace(at, 2, "\xFD\xFF");
    }
  }
  return FromUtf16Le(whole).value();
}

}  // namespace

Result<std::vector<std::string>> ParseEnvironmentBlock(std::string_view bytes) {
  const std::string_view block = bytes.substr(0, kMostEnvironmentBytes);
  std::vector<std::string> out;
  std::size_t start = 0;
  for (std::size_t at = 0; at + 1 < block.size(); at += 2) {
    if (UnitAt(block, at) != 0) continue;
    const std::string_view entry = block.substr(start, at - start);
    if (entry.empty()) return out;
    if (UnitAt(entry, 0) != '=') out.push_back(ToText(entry));
    start = at + 2;
  }
  return Fail(Code::kIo, fmt::format("the environment of the process does not end within {} bytes", block.size()));
}

}  // namespace prov::machine
