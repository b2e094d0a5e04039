// Time as text, and the port through which it is read and waited for.
#pragma once

#include <cstdint>
#include <string>

namespace prov {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowUnix() = 0;  // seconds
  // Waits; false as soon as this program was asked to stop (service control, Ctrl-C).
  virtual bool Wait(std::int64_t milliseconds) = 0;
};

// "2026-01-01T00:00:00Z"; years outside 0 to 9999 (only an offset can lead there) have more digits or a sign.
std::string FormatUtc(std::int64_t unix_seconds);

}  // namespace prov
