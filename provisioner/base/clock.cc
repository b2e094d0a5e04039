#include "provisioner/base/clock.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>

namespace prov {

Result<void> FailIfStopped(Clock& clock, const std::string& where) {
  if (clock.Wait(0)) return {};
  return Fail(Code::kInterrupted, "the run was stopped; nothing of it was put into place", where);
}

std::string FormatUtc(std::int64_t unix_seconds) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(unix_seconds));
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const auto second_of_day = static_cast<unsigned>((time - days).count());
  const int year = static_cast<int>(date.year());
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), second_of_day / 3600, second_of_day / 60 % 60,
                     second_of_day % 60);
}

std::optional<std::int64_t> ParseUtc(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t digits) {
    unsigned out = 0;
    for (const char c : text.substr(at, digits)) out = out * 10 + static_cast<unsigned>(c - '0');
    return out;
  };
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(number(5, 2)), std::chrono::day(number(8, 2))};
  const unsigned hour = number(11, 2);
  const unsigned minute = number(14, 2);
  const unsigned second = number(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::chrono::sys_seconds day = std::chrono::sys_days(date);
  return day.time_since_epoch().count() + std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + second;
}

}  // namespace prov
