#include "provisioner/base/text_place.h"

#include <fmt/format.h>

namespace prov {

void TextPlace::Pass(char byte) {
  if (byte == '\n') {
    *this = {.line = line + 1, .column = 1};
  } else if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) {
    ++column;  // the first byte of a character
  }
}

std::string DescribePlace(TextPlace place) { return fmt::format("line {}, column {}", place.line, place.column); }

std::string DescribePlace(std::string_view text, std::size_t offset) {
  TextPlace place;
  for (const char byte : text.substr(0, offset)) place.Pass(byte);
  return DescribePlace(place);
}

}  // namespace prov
