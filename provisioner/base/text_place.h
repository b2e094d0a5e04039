// The position of something in a text, for messages: lines and columns count from 1, columns in UTF-8 characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prov {

struct TextPlace {
  std::size_t line = 1;
  std::size_t column = 1;

  // Advances by one byte of the text.
  void Pass(char byte);
};

// "line 3, column 7".
std::string DescribePlace(TextPlace place);
// The same for the byte at `offset`, or for the text's end.
std::string DescribePlace(std::string_view text, std::size_t offset);

}  // namespace prov
