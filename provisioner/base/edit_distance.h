// How near two names are to each other: for "did you mean".
#pragma once

#include <cstddef>
#include <string_view>

namespace prov {

// How many characters must be inserted, removed or replaced to make one of the other (Levenshtein), without ASCII case.
// Takes time of the product of their lengths.
std::size_t EditDistance(std::string_view first, std::string_view second);

}  // namespace prov
