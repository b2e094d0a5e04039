// Replaces a text everywhere.
#pragma once

#include <string>
#include <string_view>

namespace prov::testing_support {

// The text with `to` in each place of `from`.
inline std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace prov::testing_support
