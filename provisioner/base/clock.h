// Port: time, and being told to stop.
#pragma once

#include <cstdint>

namespace prov {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowUnix() = 0;  // seconds
  // Waits; false as soon as this program was asked to stop (service control, Ctrl-C).
  virtual bool Wait(std::int64_t milliseconds) = 0;
};

}  // namespace prov
