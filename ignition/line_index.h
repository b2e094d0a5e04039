// Line and column of an offset in a text that is destroyed while it is parsed.
#pragma once

#include <string>
#include <string_view>

namespace prov::ignition {

// "line L, column C" of `offset`; both count from 1, columns in bytes.
std::string Position(std::string_view text, std::size_t offset);

// Remembers where lines begin, in about one byte per line, so that the text itself need not be kept.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  // Like Position() for the text given to the constructor.
  std::string Position(std::size_t offset) const;

 private:
  std::string lengths_;  // of each line with its LF, as base-128 numbers, lowest digits first
};

}  // namespace prov::ignition
