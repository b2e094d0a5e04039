#include "provisioner/registries/toml_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::registries {
namespace {

constexpr std::size_t kMostTomlBytes = std::size_t{4} << 20U;
// A key opens a table with each of its dots. Together with the nested values, that bounds the recursion to some 5,000
// levels, for which the smallest stack of Windows has room.
constexpr std::ptrdiff_t kMostDots = 300;

}  // namespace

Result<toml::table> ParseToml(std::string_view text, const std::string& where) {
  if (text.size() > kMostTomlBytes)
    return Fail(Code::kTooLarge, fmt::format("has more than {} MiB", kMostTomlBytes >> 20U), where);
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (std::ranges::count(line, '.') > kMostDots)
      return Fail(Code::kRegistries, "has too many dots in one line", fmt::format("{}: line {}", where, number));
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    std::string why(error.description());
    while (why.ends_with('.')) why.pop_back();
    return Fail(Code::kRegistries, fmt::format("not valid TOML: {}", why), PlaceIn(where, error.source()));
  }
  return std::move(parsed).table();
}

std::string PlaceIn(const std::string& where, const toml::source_region& region) {
  return fmt::format("{}: line {}, column {}", where, region.begin.line, region.begin.column);
}

}  // namespace prov::registries
