// Whether a test runs with the address sanitizer, where everything takes ten times as long. Loops that only add volume
// run in full without it (scripts/test runs the same tests as Windows programs, and some of them plain).
#pragma once

#include <cstddef>
#include <cstdint>

namespace prov::testing_support {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kUnderSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kUnderSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kUnderSanitizer = false;
#endif

// Of so many random cases, or bytes of a large input, those to take here.
constexpr std::uint32_t Amount(std::uint32_t whole) { return kUnderSanitizer ? whole / 10 : whole; }
// A run that is stopped at each of its calls is stopped at each so many-th one here.
inline constexpr std::size_t kCallStride = kUnderSanitizer ? 7 : 1;

}  // namespace prov::testing_support
