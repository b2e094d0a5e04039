// Where in a text something is, for messages: lines and columns from 1, columns in characters of UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prov {

struct TextPlace {
  std::size_t line = 1;
  std::size_t column = 1;

  // Moves behind one byte of the text.
  void Pass(char byte);
};

// "line 3, column 7".
std::string DescribePlace(TextPlace place);
// The same of the byte at `offset`, or of the text's end.
std::string DescribePlace(std::string_view text, std::size_t offset);

}  // namespace prov
