#include "ignition/rendered.h"

#include <algorithm>
#include <chrono>

namespace prov::ignition {
namespace {

constexpr std::string_view kRendered = "rendered-";
constexpr std::size_t kHashDigits = 32;

bool IsLowerHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The `width` digits at `at` as a number up to `most`; nullopt if they are something else.
std::optional<int> Digits(std::string_view text, std::size_t at, std::size_t width, int most) {
  if (text.size() < at + width) return std::nullopt;
  const std::string_view digits = text.substr(at, width);
  if (!std::all_of(digits.begin(), digits.end(), IsDigit)) return std::nullopt;
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  if (value > most) return std::nullopt;
  return value;
}

// "Z" or "+hh:mm", in seconds.
std::optional<int> Offset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = Digits(text, 1, 2, 23);
  const auto minutes = Digits(text, 4, 2, 59);
  if (!hours || !minutes) return std::nullopt;
  const int seconds = *hours * 3600 + *minutes * 60;
  return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<std::string_view> PoolOfRenderedName(std::string_view name) {
  if (!name.starts_with(kRendered)) return std::nullopt;
  name.remove_prefix(kRendered.size());
  if (name.size() < kHashDigits + 2) return std::nullopt;
  const std::string_view pool = name.substr(0, name.size() - kHashDigits - 1);
  const std::string_view hash = name.substr(pool.size() + 1);
  if (name[pool.size()] != '-' || !std::all_of(hash.begin(), hash.end(), IsLowerHex)) return std::nullopt;
  return pool;
}

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  constexpr std::size_t kDateAndTime = 19;  // 2026-01-15T10:20:30
  if (text.size() <= kDateAndTime) return std::nullopt;
  if (text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') || text[13] != ':' || text[16] != ':')
    return std::nullopt;
  const auto year = Digits(text, 0, 4, 9999);
  const auto month = Digits(text, 5, 2, 12);
  const auto day = Digits(text, 8, 2, 31);
  const auto hour = Digits(text, 11, 2, 23);
  const auto minute = Digits(text, 14, 2, 59);
  const auto second = Digits(text, 17, 2, 60);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  text.remove_prefix(kDateAndTime);
  Timestamp out;
  if (text.front() == '.') {
    const auto end = std::find_if_not(text.begin() + 1, text.end(), IsDigit);
    out.fraction.assign(text.begin() + 1, end);
    if (out.fraction.empty()) return std::nullopt;
    while (!out.fraction.empty() && out.fraction.back() == '0') out.fraction.pop_back();
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  }
  const auto offset = Offset(text);
  if (!offset) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int of_day = *hour * 3600 + *minute * 60 + *second;
  out.seconds = days * 86400 + of_day - *offset;
  return out;
}

}  // namespace prov::ignition
