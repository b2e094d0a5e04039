#include "provisioner/base/line_index.h"

#include <algorithm>
#include <optional>

#include "provisioner/base/text_place.h"

namespace prov {
namespace {

void Put(std::string& out, std::size_t number) {
  for (; number >= 0x80; number >>= 7U) out.push_back(static_cast<char>(0x80U | (number & 0x7FU)));
  out.push_back(static_cast<char>(number));
}

// Removes and returns the next number; nullopt at the end.
std::optional<std::size_t> Take(std::string_view& numbers) {
  std::size_t out = 0;
  for (unsigned shift = 0; !numbers.empty(); shift += 7) {
    const auto digit = static_cast<unsigned char>(numbers.front());
    numbers.remove_prefix(1);
    out |= static_cast<std::size_t>(digit & 0x7FU) << shift;
    if ((digit & 0x80U) == 0) return out;
  }
  return std::nullopt;
}

// The number of bytes after the first one of a character.
std::size_t MoreBytes(unsigned char first) { return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3; }

std::string WideCharacters(std::string_view text) {
  std::string out;
  std::size_t before = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) continue;
    const std::size_t more = MoreBytes(byte);
    Put(out, (at - before) << 2U | more);
    before = at;
    at += more;
  }
  return out;
}

}  // namespace

LineIndex::LineIndex(std::string_view text, bool ascii) : wide_(ascii ? std::string() : WideCharacters(text)) {
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    Put(lengths_, end + 1);
    text.remove_prefix(end + 1);
  }
}

std::string LineIndex::Position(std::size_t offset) const {
  std::size_t line = 1;
  std::size_t start = 0;
  std::string_view lengths = lengths_;
  for (auto length = Take(lengths); length && start + *length <= offset; length = Take(lengths)) {
    start += *length;
    ++line;
  }
  std::size_t characters = offset - start;
  std::size_t at = 0;
  std::string_view wide = wide_;
  while (const auto next = Take(wide)) {
    at += *next >> 2U;
    if (at >= offset) break;
    if (at >= start) characters -= std::min<std::size_t>(*next & 3U, offset - at - 1);
  }
  return DescribePlace({.line = line, .column = characters + 1});
}

}  // namespace prov
