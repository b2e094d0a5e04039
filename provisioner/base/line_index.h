// Finds the line and column of an offset in a text that parsing overwrites.
#pragma once

#include <string>
#include <string_view>

namespace prov {

// Records where lines begin and which characters are not ASCII, in one or two bytes each, so that the text itself need
// not be kept.
class LineIndex {
 public:
  // Well-formed UTF-8. `ascii`: it is known to hold nothing else, which saves a look at every byte.
  explicit LineIndex(std::string_view text, bool ascii = false);

  // As DescribePlace() has it for the text given to the constructor. `offset`: to its end at most.
  std::string Position(std::size_t offset) const;

 private:
  // Both as base-128 numbers, lowest digits first.
  std::string lengths_;  // of each line with its LF
  std::string wide_;     // of each character beyond ASCII: how far it is from the one before, and how long
};

}  // namespace prov
