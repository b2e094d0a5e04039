// Time as text, and the port through which it is read and waited for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t NowUnix() = 0;  // seconds
  // Waits; false as soon as this program was asked to stop (service control, Ctrl-C).
  virtual bool Wait(std::int64_t milliseconds) = 0;
};

// Asked between the steps of long work, which leaves nothing behind when it fails; empty: always yes.
using MayGoOn = std::function<Result<void>()>;
inline Result<void> Ask(const MayGoOn& may_go_on) { return may_go_on ? may_go_on() : Result<void>(); }

// The error interrupted, with `where`, once this program was asked to stop. From the first call on the request ends the
// program no longer by itself.
Result<void> GoOn(Clock& clock, const std::string& where);

// "2026-01-01T00:00:00Z"; years outside 0 to 9999 (only an offset can lead there) have more digits or a sign.
std::string FormatUtc(std::int64_t unix_seconds);
// The reverse, of years 0 to 9999; nullopt: no such text, or no such moment.
std::optional<std::int64_t> ParseUtc(std::string_view text);

}  // namespace prov
