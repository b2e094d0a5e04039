// Checks against the limits of a format: names, labels, times, numbers of entries.
#include "images/archive/archive.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::images {
namespace {

// Joliet's limits: UTF-16 units of a name and of a whole path, folders above a file. Labels of its volumes have at most
// 16.
constexpr std::size_t kNameUnits = 64;
constexpr std::size_t kPathUnits = 120;
constexpr std::size_t kLevels = 8;
constexpr std::size_t kLabelUnits = 16;

// The last second that ZIP's times can hold; the other formats can hold it, too.
constexpr std::int64_t kLastTime = 4354819199;

bool IsLabelCharacter(char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.'; }

}  // namespace

Result<void> CheckVolumeLabel(std::string_view label) {
  if (!label.empty() && label.size() <= kLabelUnits && std::ranges::all_of(label, IsLabelCharacter)) return {};
  return Fail(Code::kUsage,
              fmt::format("the label \"{}\" can't be a drive's: 1 to {} of A-Z, a-z, 0-9, '-', '_' and '.', such as "
                          "config-2, cidata or PROVISION",
                          label, kLabelUnits),
              "--label");
}

Result<void> CheckArchiveTime(std::int64_t time_unix) {
  if (time_unix >= 0 && time_unix <= kLastTime) return {};
  return Fail(Code::kUsage,
              fmt::format("{} is not a time that all formats can hold: 0 to {}, the end of 2107; correct or unset it",
                          time_unix, kLastTime),
              "SOURCE_DATE_EPOCH");
}

Result<void> CheckJolietPath(std::string_view path) {
  const auto refuse = [&](std::string why) {
    return Fail(Code::kSizeLimit, fmt::format("{}; use --format zip or tar", why), std::string(path));
  };
  const std::vector<std::string_view> names = Split(path, '/');
  // An ASCII path has as many units as bytes.
  for (const std::string_view name : names) {
    if (name.size() > kNameUnits)
      return refuse(
          fmt::format("a name on a drive has {} characters at most, this one has {}", kNameUnits, name.size()));
    if (name.find(';') != std::string_view::npos) return refuse("a name on a drive can't hold a ';'");
  }
  if (path.size() > kPathUnits)
    return refuse(fmt::format("a path on a drive has {} characters at most, this one has {}", kPathUnits, path.size()));
  if (names.size() > kLevels) return refuse(fmt::format("a drive has {} levels of folders at most", kLevels));
  return {};
}

}  // namespace prov::images
