// Times as text, and the port for reading the clock and waiting.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

inline constexpr std::int64_t kMillisecondsPerSecond = 1000;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowUnix() = 0;  // seconds
  // Waits. Returns false as soon as this program is asked to stop (service control, Ctrl-C). From the first call on,
  // even one of no time, the first request to stop does not end the process by itself.
  virtual bool Wait(std::int64_t milliseconds) = 0;
};

// Called between the steps of long work. If it returns an error, the work ends with that error and leaves nothing
// behind. Empty: the work is never stopped.
using StopCheck = std::function<Result<void>()>;
inline Result<void> CheckStop(const StopCheck& stop_check) { return stop_check ? stop_check() : Result<void>(); }

// Returns the error interrupted, with `where`, if this program was asked to stop: a Wait of no time.
Result<void> FailIfStopped(Clock& clock, const std::string& where);

// "2026-01-01T00:00:00Z". Years outside 0 to 9999, which only an offset can cause, have more digits or a sign.
std::string FormatUtc(std::int64_t unix_seconds);
// Parses this form, for years 0 to 9999; nullopt if the text has another form or the time does not exist.
std::optional<std::int64_t> ParseUtc(std::string_view text);

// The time as Windows' FILETIME: units of 100 ns since 1601.
constexpr std::uint64_t FileTimeOf(std::int64_t unix_seconds) {
  constexpr std::int64_t kSecondsFrom1601To1970 = 11'644'473'600;
  return static_cast<std::uint64_t>(unix_seconds + kSecondsFrom1601To1970) * 10'000'000U;
}

}  // namespace prov
