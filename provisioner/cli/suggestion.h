// "Did you mean": what was probably meant by a word that is not known.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace prov::cli {

// "did you mean A or B?" with the words of `known` that `word` is the beginning of or that differ from it by a slip; ""
// where none is near.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> known);

}  // namespace prov::cli
