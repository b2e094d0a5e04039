#include "ignition/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

using Kind = PlainScalar::Kind;

bool IsAnyWord(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::size_t CountDigits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

PlainScalar Number(double number) {
  PlainScalar out;
  out.kind = Kind::kDouble;
  out.number = number;
  return out;
}

PlainScalar Integer(bool negative, std::uint64_t magnitude) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  PlainScalar out;
  out.kind = Kind::kInt;
  if (magnitude <= kMost) {
    out.integer = negative ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
  } else if (negative && magnitude == kMost + 1) {
    out.integer = std::numeric_limits<std::int64_t>::min();
  } else if (!negative) {
    out.kind = Kind::kUint;
    out.unsigned_integer = magnitude;
  } else {
    return Number(-static_cast<double>(magnitude));
  }
  return out;
}

std::optional<PlainScalar> AsInteger(std::string_view digits, bool negative) {
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    std::size_t skip = 2;
    if (digits[1] == 'x' || digits[1] == 'X') {
      base = 16;
    } else if (digits[1] == 'o' || digits[1] == 'O') {
      base = 8;
    } else if (digits[1] == 'b' || digits[1] == 'B') {
      base = 2;
    } else {
      base = 8, skip = 1;
    }
    digits.remove_prefix(skip);
  }
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return Integer(negative, magnitude);
}

// Whether the whole text is: digits ["." digits] [("e"|"E") ["+"|"-"] digits], or "." digits ….
bool HasFloatForm(std::string_view text) {
  const std::size_t whole = CountDigits(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (!text.empty() && text.front() == '.') {
    fraction = CountDigits(text.substr(1));
    text.remove_prefix(1 + fraction);
  }
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && CountDigits(text) == text.size();
}

PlainScalar OfKind(Kind kind, bool boolean = false) {
  PlainScalar out;
  out.kind = kind;
  out.boolean = boolean;
  return out;
}

}  // namespace

PlainScalar ResolvePlainScalar(std::string_view text) {
  if (IsAnyWord(text, {"", "~", "null", "Null", "NULL"})) return OfKind(Kind::kNull);
  if (IsAnyWord(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"}))
    return OfKind(Kind::kBool, true);
  if (IsAnyWord(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"}))
    return OfKind(Kind::kBool, false);
  const bool negative = text.front() == '-';
  std::string_view body = text;
  if (negative || text.front() == '+') body.remove_prefix(1);
  if (IsAnyWord(body, {".inf", ".Inf", ".INF"}) || IsAnyWord(text, {".nan", ".NaN", ".NAN"}))
    return OfKind(Kind::kNotFinite);
  if (body.empty() || !(IsDigit(body.front()) || body.front() == '.')) return {};
  if (const auto integer = AsInteger(body, negative)) return *integer;
  // "0899" is not octal, so it is text. A plain integer too long for 64 bits is a float, as in JSON.
  const bool leading_zero = body.size() > 1 && body[0] == '0' && IsDigit(body[1]);
  if (leading_zero && CountDigits(body) == body.size()) return {};
  if (!HasFloatForm(body)) return {};
  double number = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), number);
  if (error != std::errc() || end != body.data() + body.size()) return OfKind(Kind::kNotFinite);
  return Number(negative ? -number : number);
}

}  // namespace prov::ignition
