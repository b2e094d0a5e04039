#include "provisioner/cli/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

constexpr std::size_t kLongestWord = 64;      // longer words get no suggestion
constexpr std::size_t kShortestLongWord = 4;  // two letters may differ in such a word, otherwise one
constexpr std::size_t kShortestBeginning = 3;
constexpr std::size_t kShortestWord = 3;  // shorter words are similar to anything

std::string_view WithoutDashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

bool IsNear(std::string_view word, std::string_view known) {
  if (word.size() >= kShortestBeginning && EqualsIgnoreAsciiCase(known.substr(0, word.size()), word)) return true;
  const std::size_t slips = word.size() < kShortestLongWord ? 1 : 2;
  return word.size() >= kShortestWord && EditDistance(known, word) <= slips;
}

}  // namespace

std::string DidYouMean(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) return {};
  std::vector<std::string_view> near;
  for (const std::string_view candidate : known) {
    const bool is_near = IsNear(WithoutDashes(word), WithoutDashes(candidate));
    if (is_near && std::ranges::find(near, candidate) == near.end()) near.push_back(candidate);
  }
  return near.empty() ? std::string() : fmt::format("did you mean {}?", fmt::join(near, " or "));
}

}  // namespace prov::cli
