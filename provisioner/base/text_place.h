// Where in a text something is, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prov {

// "line 3, column 7" of the byte at `offset`: both from 1, columns in characters of UTF-8.
std::string DescribePlace(std::string_view text, std::size_t offset);

}  // namespace prov
