#include "provisioner/base/printable_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "provisioner/base/text.h"

namespace prov {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x7F; }

// Bytes of the character that begins with `lead`.
std::size_t LengthOf(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

// Of at most three bytes: none of those that steer a terminal has more.
std::uint32_t CodePointOf(std::string_view character) {
  const auto bits = [&](std::size_t at) { return static_cast<unsigned char>(character[at]) & 0x3FU; };
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead;
  if (character.size() == 2) return (lead & 0x1FU) << 6U | bits(1);
  return (lead & 0x0FU) << 12U | bits(1) << 6U | bits(2);
}

}  // namespace

std::string PrintableJson(std::string json) {
  if (std::ranges::all_of(json, IsAscii)) return json;
  std::string out;
  out.reserve(json.size());
  for (std::string_view rest = json; !rest.empty();) {
    const std::string_view character = rest.substr(0, LengthOf(static_cast<unsigned char>(rest.front())));
    if (IsAscii(character.front()) || character.size() > 3 || Printable(character) == character) {
      out += character;
    } else {
      out += fmt::format("\\u{:04x}", CodePointOf(character));
    }
    rest.remove_prefix(character.size());
  }
  return out;
}

}  // namespace prov
