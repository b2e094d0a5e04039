#include "provisioner/base/printable_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "provisioner/base/text.h"

namespace prov {
namespace {

bool IsPlain(char c) { return static_cast<unsigned char>(c) < 0x7F; }

// Bytes of the character that begins with `lead`.
std::size_t LengthOf(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

}  // namespace

std::string PrintableJson(std::string json) {
  if (std::ranges::all_of(json, IsPlain)) return json;
  std::string out;
  out.reserve(json.size());
  for (std::string_view rest = json; !rest.empty();) {
    const std::string_view character = rest.substr(0, LengthOf(static_cast<unsigned char>(rest.front())));
    if (IsPlain(character.front()) || Printable(character) == character) {
      out += character;
    } else {
      const std::string unit = ToUtf16Le(character);  // a single one: none of these is above U+FFFF
      out += fmt::format("\\u{:02x}{:02x}", static_cast<unsigned char>(unit[1]), static_cast<unsigned char>(unit[0]));
    }
    rest.remove_prefix(character.size());
  }
  return out;
}

}  // namespace prov
