#include "ignition/line_index.h"

#include <fmt/format.h>

#include <algorithm>

namespace prov::ignition {
namespace {

std::string Say(std::size_t line, std::size_t column) { return fmt::format("line {}, column {}", line, column); }

}  // namespace

std::string Position(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t last = before.rfind('\n');
  return Say(lines + 1, last == std::string_view::npos ? before.size() + 1 : before.size() - last);
}

LineIndex::LineIndex(std::string_view text) {
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    std::size_t length = end + 1;
    text.remove_prefix(length);
    for (; length >= 0x80; length >>= 7U) lengths_.push_back(static_cast<char>(0x80U | (length & 0x7FU)));
    lengths_.push_back(static_cast<char>(length));
  }
}

std::string LineIndex::Position(std::size_t offset) const {
  std::size_t line = 1;
  std::size_t start = 0;
  std::size_t length = 0;
  unsigned shift = 0;
  for (const char c : lengths_) {
    const auto digit = static_cast<unsigned char>(c);
    length |= static_cast<std::size_t>(digit & 0x7FU) << shift;
    shift += 7;
    if ((digit & 0x80U) != 0) continue;
    if (start + length > offset) break;
    start += length;
    ++line;
    length = 0;
    shift = 0;
  }
  return Say(line, offset - start + 1);
}

}  // namespace prov::ignition
