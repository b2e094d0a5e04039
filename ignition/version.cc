#include "ignition/version.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <system_error>

#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

constexpr std::string_view kExperimental = "-experimental";
constexpr unsigned kMostMinor = 9999;  // a larger number is a mistake

}  // namespace

Result<SpecVersion> ParseSpecVersion(std::string_view text, std::string_view where) {
  const auto refuse = [&] {
    return Fail(Code::kVersion,
                fmt::format("unknown Ignition spec version \"{}\"; known are 2.0.0 to 2.2.0 and 3.0.0 to 3.{}.0",
                            Shorten(text, 40), kNewestMinor),
                std::string(where));
  };
  if (text == "2.0.0") return SpecVersion{2, 0};
  if (text == "2.1.0") return SpecVersion{2, 1};
  if (text == "2.2.0") return SpecVersion{2, 2};
  std::string_view rest = text;
  const bool experimental = rest.ends_with(kExperimental);
  if (experimental) rest.remove_suffix(kExperimental.size());
  if (!rest.starts_with("3.") || !rest.ends_with(".0") || rest.size() < 5) return refuse();
  const std::string_view digits = rest.substr(2, rest.size() - 4);
  unsigned minor = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  const bool leading_zero = digits.size() > 1 && digits.front() == '0';
  if (error != std::errc() || end != digits.data() + digits.size() || leading_zero || minor > kMostMinor)
    return refuse();
  if (experimental && minor <= kNewestMinor) return refuse();
  return SpecVersion{3, minor};
}

}  // namespace prov::ignition
