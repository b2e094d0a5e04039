// Whether a test runs with the address sanitizer, where everything takes ten times as long: what is there for its
// amount alone is done in the plain build.
#pragma once

namespace prov::testing_support {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kUnderSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kUnderSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kUnderSanitizer = false;
#endif

}  // namespace prov::testing_support
