// assert_*, fail and skip.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/support/cmocka/shim_internal.h"
#include "tests/support/cmocka_listener.h"

#undef fail
#undef skip

namespace prov::cmocka {
namespace {

constexpr size_t kMaxDifferences = 16;

std::string Quoted(const char* text) { return text == nullptr ? "(null)" : fmt::format("\"{}\"", text); }

std::string Formatted(const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::vector<char> buffer(length < 0 ? 1 : static_cast<size_t>(length) + 1);
  std::vsnprintf(buffer.data(), buffer.size(), format, arguments);
  return buffer.data();
}

bool NearlyEqual(float a, float b, float epsilon) {
  const float difference = std::fabs(a - b);
  return difference <= epsilon || difference <= std::fmax(std::fabs(a), std::fabs(b)) * epsilon;
}

}  // namespace

std::string ToText(Place place) { return fmt::format("{}:{}", place.file, place.line); }

void FailAt(Place place, const std::string& text) {
  ADD_FAILURE_AT(place.file, place.line) << text;
  throw Abandoned();
}

void FailWith(const std::string& text) {
  AddFailure(text);
  throw Abandoned();
}

void AddFailure(const std::string& text) { ADD_FAILURE_AT(nullptr, -1) << text; }

void Require(const Fault& fault, Place place) {
  if (fault) FailAt(place, *fault);
}

Fault CompareTruth(bool holds, const char* text) { return holds ? Fault() : text; }

Fault CompareValues(LargestIntegralType a, LargestIntegralType b, bool equal) {
  if ((a == b) == equal) return std::nullopt;
  const auto text = [](LargestIntegralType value) {
    return value == 0 ? std::string("0") : fmt::format("{:#x}", value);
  };
  return fmt::format("{} {} {}", text(a), equal ? "!=" : "==", text(b));
}

Fault CompareStrings(const char* a, const char* b, bool equal) {
  const bool same = a != nullptr && b != nullptr && std::strcmp(a, b) == 0;
  if (same == equal && a != nullptr && b != nullptr) return std::nullopt;
  return fmt::format("{} {} {}", Quoted(a), equal ? "!=" : "==", Quoted(b));
}

Fault CompareMemory(const void* a, const void* b, size_t size, bool equal) {
  const auto* left = static_cast<const unsigned char*>(a);
  const auto* right = static_cast<const unsigned char*>(b);
  std::string text;
  size_t differences = 0;
  for (size_t i = 0; i < size; ++i) {
    if (left[i] == right[i]) continue;
    if (differences < kMaxDifferences)
      text += fmt::format("difference at offset {} 0x{:02x} 0x{:02x}\n", i, left[i], right[i]);
    ++differences;
  }
  if ((differences == 0) == equal) return std::nullopt;
  if (!equal) return fmt::format("{}bytes of {} and {} the same", size, a, b);
  if (differences >= kMaxDifferences) text += "...\n";
  return text + fmt::format("{} bytes of {} and {} differ", differences, a, b);
}

Fault CompareRange(LargestIntegralType value, LargestIntegralType minimum, LargestIntegralType maximum, bool inside) {
  if ((value >= minimum && value <= maximum) == inside) return std::nullopt;
  return fmt::format("{} is {}within the range {}-{}", value, inside ? "not " : "", minimum, maximum);
}

Fault CompareSet(LargestIntegralType value, const LargestIntegralType* values, size_t count, bool inside) {
  bool found = false;
  std::string list;
  for (size_t i = 0; i < count; ++i) {
    found = found || values[i] == value;
    list += values[i] == 0 ? std::string("0, ") : fmt::format("{:#x}, ", values[i]);
  }
  if (found == inside) return std::nullopt;
  return fmt::format("{} is {}in the set ({})", value, inside ? "not " : "", list);
}

Fault CompareReturnCode(LargestIntegralType code, size_t code_size, int error, const char* text) {
  const unsigned bits = code_size >= sizeof(code) ? 64U : static_cast<unsigned>(code_size) * 8U;
  const bool negative = ((code >> (bits - 1U)) & 1U) != 0;
  if (!negative) return std::nullopt;
  std::string message = fmt::format("{} < 0", text);
  if (error > 0) message += fmt::format(", errno({}): {}", error, std::strerror(error));
  return message;
}

Fault CompareFloats(float a, float b, float epsilon, bool equal) {
  if (NearlyEqual(a, b, epsilon) == equal) return std::nullopt;
  return fmt::format("{:f} {} {:f}", a, equal ? "!=" : "==", b);
}

void Fail(Place place) { FailAt(place, ""); }

void FailMessage(Place place, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = "ERROR: " + Formatted(format, arguments);
  va_end(arguments);
  const bool as_cmocka = testing_support::InstalledCmockaFormat() != testing_support::CmockaFormat::kNone;
  if (as_cmocka) print_error("%s\n", text.c_str());
  FailAt(place, as_cmocka ? "" : text);
}

void Skip(Place place) {
  GTEST_MESSAGE_AT_(place.file, place.line, "", testing::TestPartResult::kSkip);
  throw Abandoned();
}

}  // namespace prov::cmocka

void print_message(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vprintf(format, arguments);
  va_end(arguments);
  std::fflush(stdout);
}

void print_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fflush(stderr);
}
