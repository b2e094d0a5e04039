#include "provisioner/base/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov {
namespace {

constexpr std::size_t kLongestWord = 64;      // longer words get no suggestion
constexpr std::size_t kShortestLongWord = 4;  // two letters may differ in such a word, otherwise one
constexpr std::size_t kShortestBeginning = 2;
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

std::size_t EditDistance(std::string_view first, std::string_view second) {
  const std::string a = AsciiLower(first);
  const std::string b = AsciiLower(second);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) return {};
  std::vector<std::string_view> closest;
  for (const std::string_view candidate : known) {
    if (EqualsIgnoreAsciiCase(WithoutDashes(word), WithoutDashes(candidate))) {
      closest = {candidate};
      break;
    }
    const bool is_near = IsNear(WithoutDashes(word), WithoutDashes(candidate));
    if (is_near && std::ranges::find(closest, candidate) == closest.end()) closest.push_back(candidate);
  }
  return closest.empty() ? std::string() : fmt::format("did you mean {}?", fmt::join(closest, " or "));
}

}  // namespace prov
