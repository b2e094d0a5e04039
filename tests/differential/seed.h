// What the differential tests share: one seed per run, printed, and texts put together from pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

namespace prov::differential {

inline bool RunsOnDefaultSeed() { return std::getenv("PROVISIONER_DIFFERENTIAL_SEED") == nullptr; }

// The same rows in each run, unless PROVISIONER_DIFFERENTIAL_SEED has another number.
inline std::uint64_t Seed(std::string_view test) {
  constexpr std::uint64_t kDefault = 20230801;
  const char* given = std::getenv("PROVISIONER_DIFFERENTIAL_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : kDefault;
  std::cout << test << ": PROVISIONER_DIFFERENTIAL_SEED=" << seed << '\n';
  return seed;
}

// SplitMix64: the same numbers with every standard library, which <random>'s distributions don't promise.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::size_t Below(std::size_t end) { return static_cast<std::size_t>(Next() % end); }
  bool OneIn(std::size_t n) { return Below(n) == 0; }
  std::string_view Pick(std::span<const std::string_view> pieces) { return pieces[Below(pieces.size())]; }

 private:
  std::uint64_t Next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace prov::differential
