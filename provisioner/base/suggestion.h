// Suggestions for an unknown word.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace prov {

// How many characters must be inserted, removed or replaced to turn one name into the other (Levenshtein), ignoring
// ASCII case. Takes time proportional to the product of their lengths.
std::size_t EditDistance(std::string_view first, std::string_view second);

// "did you mean A or B?" with the words of `known` that begin with `word` or may be a misspelling of it, or the one
// that differs in dashes and case only; "" if there are none.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known);

}  // namespace prov
