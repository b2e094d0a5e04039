// How much of what is there for its amount alone (random cases, stops at a call) a test runs: all of it, or enough to
// find a fault of every kind. scripts/test --all runs all of it as Windows programs; what these have not, and that of
// images and reconcile, plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace prov::testing_support {

// With the address sanitizer everything takes ten times as long.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kUnderSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kUnderSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kUnderSanitizer = false;
#endif

// Whether less than all of it is asked for: under the sanitizers, and by PROVISIONER_AMOUNT=some.
inline bool RunsSome() {
  const char* asked = std::getenv("PROVISIONER_AMOUNT");
  return kUnderSanitizer || (asked != nullptr && std::string_view(asked) == "some");
}

// Of so many random cases, or bytes of a large input, those to take here.
inline std::uint32_t Amount(std::uint32_t whole) { return RunsSome() ? whole / 10 : whole; }
// A run that is stopped at each of its calls is stopped at each so many-th one here.
inline std::size_t CallStride() { return RunsSome() ? 7 : 1; }

}  // namespace prov::testing_support
