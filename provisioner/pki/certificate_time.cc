#include "provisioner/pki/certificate_time.h"

#include <fmt/format.h>

#include <chrono>

#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes numbers of fixed width from the front of a text.
class Digits {
 public:
  explicit Digits(std::string_view text) : rest_(text) {}

  std::optional<int> Take(std::size_t width) {
    if (rest_.size() < width) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, width)) {
      if (!IsDigit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    return value;
  }
  bool StartsWithDigit() const { return !rest_.empty() && IsDigit(rest_.front()); }
  std::string_view& rest() { return rest_; }

 private:
  std::string_view rest_;
};

// "Z", or the offset "+hhmm" in seconds. Nothing may follow.
std::optional<int> ParseZone(std::string_view zone) {
  if (zone == "Z") return 0;
  if (zone.size() != 5 || (zone.front() != '+' && zone.front() != '-')) return std::nullopt;
  Digits digits(zone.substr(1));
  const auto hours = digits.Take(2);
  const auto minutes = digits.Take(2);
  if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
  const int seconds = *hours * 3600 + *minutes * 60;
  return zone.front() == '+' ? seconds : -seconds;
}

}  // namespace

std::optional<std::int64_t> ParseCertificateTime(std::uint8_t tag, std::string_view content) {
  const bool generalized = tag == der::kGeneralizedTime;
  if (!generalized && tag != der::kUtcTime) return std::nullopt;
  Digits digits(content);
  auto year = digits.Take(generalized ? 4 : 2);
  const auto month = digits.Take(2);
  const auto day = digits.Take(2);
  const auto hour = digits.Take(2);
  const auto minute = digits.Take(2);
  if (!year || !month || !day || !hour || !minute) return std::nullopt;
  if (!generalized) *year += *year >= 50 ? 1900 : 2000;
  int second = 0;
  if (digits.StartsWithDigit()) {
    const auto seconds = digits.Take(2);
    if (!seconds) return std::nullopt;
    second = *seconds;
    if (generalized && digits.rest().starts_with('.')) {
      digits.rest().remove_prefix(1);
      if (!digits.StartsWithDigit()) return std::nullopt;
      while (digits.StartsWithDigit()) digits.rest().remove_prefix(1);
    }
  }
  const auto offset = ParseZone(digits.rest());
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !date.ok() || *hour > 23 || *minute > 59 || second > 59) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{days} * 86400 + std::int64_t{*hour} * 3600 + std::int64_t{*minute} * 60 + second - *offset;
}

std::string FormatUtc(std::int64_t unix_seconds) {
  const auto time = std::chrono::sys_seconds(std::chrono::seconds(unix_seconds));
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const auto second_of_day = static_cast<unsigned>((time - days).count());
  const int year = static_cast<int>(date.year());
  if (year < 0 || year > 9999) {
    return fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), second_of_day / 3600, second_of_day / 60 % 60,
                       second_of_day % 60);
  }
  // By hand: bundles have two times per certificate, and a formatter costs more than the rest of the parsing.
  std::string out = "0000-00-00T00:00:00Z";
  const auto put = [&out](std::size_t at, unsigned value) {
    out[at] = static_cast<char>('0' + value / 10);
    out[at + 1] = static_cast<char>('0' + value % 10);
  };
  put(0, static_cast<unsigned>(year) / 100);
  put(2, static_cast<unsigned>(year) % 100);
  put(5, static_cast<unsigned>(date.month()));
  put(8, static_cast<unsigned>(date.day()));
  put(11, second_of_day / 3600);
  put(14, second_of_day / 60 % 60);
  put(17, second_of_day % 60);
  return out;
}

}  // namespace prov::pki
