// What the fakes in memory share: they count their calls, and can fail or lose power at any of them.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

namespace prov::testing_support {

// Thrown to simulate a power failure; nothing of the program runs after it.
struct PowerFailure {};

class StoppableCalls {
 public:
  std::size_t calls = 0;  // reading ones included

  // At the call of this number (from 0): an io error without effect; a power failure before or after its effect.
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::size_t fail_at = kNever, stop_before = kNever, stop_after = kNever;

  // Nothing fails or stops from here on.
  void GoOn() { fail_at = stop_before = stop_after = kNever; }

  // Runs `effect` as the next call.
  template <class Effect>
  auto Step(Effect effect) -> decltype(effect()) {
    const std::size_t number = calls++;
    if (number == stop_before) throw PowerFailure();
    if constexpr (std::is_void_v<decltype(effect())>) {
      effect();
      if (number == stop_after) throw PowerFailure();
    } else {
      auto result = effect();
      if (number == stop_after) throw PowerFailure();
      return result;
    }
  }
};

}  // namespace prov::testing_support
