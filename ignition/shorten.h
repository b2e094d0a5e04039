// Pieces of the input in messages.
#pragma once

#include <cstddef>
#include <string_view>

namespace prov::ignition {

// At most `bytes` bytes from the start of well-formed UTF-8, never ending within a character.
inline std::string_view Shorten(std::string_view text, std::size_t bytes = 80) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  return text.substr(0, bytes);
}

}  // namespace prov::ignition
