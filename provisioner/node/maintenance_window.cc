#include "provisioner/node/maintenance_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "provisioner/base/text.h"

namespace prov::node {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kWeek = 7 * kDay;
constexpr std::int64_t kThursday = 4;  // Unix time began on a Thursday
constexpr std::array<std::string_view, 7> kNames = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

std::optional<std::size_t> DayOf(std::string_view name) {
  const auto found = std::ranges::find(kNames, AsciiLower(name));
  if (found == kNames.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kNames.begin());
}

// "02:30" in seconds of the day.
std::optional<std::int64_t> TimeOf(std::string_view text) {
  constexpr std::string_view kForm = "00:00";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != ':') return std::nullopt;
  }
  const std::int64_t hours = (text[0] - '0') * 10 + (text[1] - '0');
  const std::int64_t minutes = (text[3] - '0') * 10 + (text[4] - '0');
  if (hours > 23 || minutes > 59) return std::nullopt;
  return hours * 3600 + minutes * 60;
}

// "Sat,Sun" or "Mon-Fri". A range may cross the end of a week: "Sat-Mon".
std::optional<std::array<bool, 7>> DaysOf(std::string_view text) {
  std::array<bool, 7> out = {};
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = DayOf(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : DayOf(part.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    for (std::size_t day = *first;; day = (day + 1) % out.size()) {
      out.at(day) = true;
      if (day == *last) break;
    }
  }
  return out;
}

}  // namespace

bool MaintenanceWindow::Contains(std::int64_t unix_seconds) const {
  const std::int64_t of_week = ((unix_seconds + kThursday * kDay) % kWeek + kWeek) % kWeek;
  for (std::size_t day = 0; day < days.size(); ++day) {
    if (!days.at(day)) continue;
    const std::int64_t start = static_cast<std::int64_t>(day) * kDay + begin;
    if ((of_week - start + kWeek) % kWeek < length) return true;
  }
  return false;
}

Result<MaintenanceWindow> ParseMaintenanceWindow(std::string_view text, std::string_view where) {
  const std::string_view trimmed = TrimBlanks(text);
  const std::size_t blank = trimmed.rfind(' ');
  const std::string_view times = blank == std::string_view::npos ? trimmed : trimmed.substr(blank + 1);
  const std::size_t dash = times.find('-');
  const auto begin = TimeOf(times.substr(0, dash));
  const auto end = TimeOf(dash == std::string_view::npos ? std::string_view() : times.substr(dash + 1));
  MaintenanceWindow out;
  const auto days =
      blank == std::string_view::npos ? std::optional(out.days) : DaysOf(TrimBlanks(trimmed.substr(0, blank)));
  if (!begin || !end || !days) {
    return Fail(Code::kUsage,
                fmt::format("takes times in UTC such as 22:00-04:00, \"Sat,Sun 01:00-05:00\" or \"Mon-Fri "
                            "02:30-03:30\", not \"{}\"",
                            Printable(text)),
                std::string(where));
  }
  out.days = *days;
  out.begin = *begin;
  out.text = trimmed;
  out.length = *end > *begin ? *end - *begin : *end + kDay - *begin;
  return out;
}

}  // namespace prov::node
