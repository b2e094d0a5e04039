#include "provisioner/base/text_place.h"

#include <fmt/format.h>

#include <algorithm>

namespace prov {

std::string DescribePlace(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_end = before.rfind('\n');
  const std::string_view line = line_end == std::string_view::npos ? before : before.substr(line_end + 1);
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                     std::ranges::count_if(line, begins) + 1);
}

}  // namespace prov
