// "Did you mean": suggestions for an unknown word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prov::cli {

// "did you mean A or B?" with the words of `known` that begin with `word` or may be a misspelling of it; "" if there
// are none.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known);

}  // namespace prov::cli
