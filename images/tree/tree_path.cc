#include "images/tree/tree_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_names.h"
#include "provisioner/base/text.h"

namespace prov::images {
namespace {

constexpr std::size_t kMaxNames = 64;

bool IsName(std::string_view name) {
  if (name.empty() || name.size() > 255 || name == "." || name == ".." || !IsUtf8(name)) return false;
  return std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || std::string_view("\\:*?\"<>|").find(c) != std::string_view::npos;
  });
}

}  // namespace

Result<std::vector<std::string>> SplitTreePath(std::string_view path) {
  std::vector<std::string> out;
  for (const std::string_view name : Split(path, '/')) {
    if (!IsName(name) || out.size() == kMaxNames) {
      return Fail(Code::kLink, "is not a path beneath the root of an image", std::string(path));
    }
    out.emplace_back(name);
  }
  return out;
}

NameMatcher::NameMatcher(std::string_view name) : upper_(regf::Upcase(regf::NameFromUtf8(name).value_or(u""))) {}

bool NameMatcher::Matches(std::string_view name) const {
  // A quick test: most names in a folder differ in length, and UTF-8 takes one to three bytes per unit.
  if (name.size() < upper_.size() || name.size() > 3 * upper_.size()) return false;
  const auto units = regf::NameFromUtf8(name);
  return units && Matches(*units);
}

bool NameMatcher::Matches(std::u16string_view name) const {
  return std::ranges::equal(name, upper_, {}, [](char16_t unit) { return regf::Upcase(unit); });
}

std::unexpected<Error> TwoSpellings(std::string_view one, std::string_view other, const std::string& where) {
  return Fail(
      Code::kLink,
      fmt::format("\"{}\" and \"{}\" differ in case only: Windows would see one of them; remove the other", one, other),
      where);
}

}  // namespace prov::images
