// Finds the line and column of an offset in a text that parsing overwrites.
#pragma once

#include <string>
#include <string_view>

namespace prov {

// Records the line ends and the non-ASCII characters of a text in one or two bytes each, so that the text itself need
// not be kept.
class LineIndex {
 public:
  // `text`: well-formed UTF-8. `ascii`: the text is known to be ASCII, which saves checking every byte.
  explicit LineIndex(std::string_view text, bool ascii = false);

  // As DescribePlace() of the text given to the constructor. `offset` may be at most the text's size.
  std::string Position(std::size_t offset) const;

 private:
  // Both are base-128 numbers, lowest digits first.
  std::string lengths_;  // of each line with its LF
  std::string wide_;     // of each non-ASCII character: its distance from the previous one, and its length
};

}  // namespace prov
