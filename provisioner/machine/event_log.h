// Port: the log of unattended runs; and texts in the form that the Windows event log accepts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"

namespace prov::machine {

// Ids of events are stable: administrators filter and alert by them. A failure has the id kFailureEvent plus its
// exit code (111 bad input, 112 refused, 113 target, 114 network, 115 busy, 120 defect).
enum class Event : std::uint16_t {
  kApplied = 1,
  kNothingToDo = 2,
  kRebootRequired = 3,
  kRemoved = 4,
  kRolledBack = 5,
  kSourceUnavailable = 6,
  kHeld = 7,        // a rollback holds until the source changes
  kRebootLoop = 8,  // the same change was needed again after three boots
  kRecovered = 9,   // an interrupted run was finished, or a damaged file of the state was repaired
  kServiceStarted = 10,
  kServiceStopped = 11,
  kFailure = 100,
};

// Best effort: a failure to log must not stop a run. `text` holds no secrets; it may hold bytes of an input.
class EventLog {
 public:
  virtual ~EventLog() = default;
  virtual void Write(Severity severity, std::uint16_t id, std::string_view text) = 0;
};

// Printable(), shortened to fit an event, with a blank after each "%" that the Event Viewer would otherwise replace by
// another text ("%1", "%%5").
std::string EventText(std::string_view text);

}  // namespace prov::machine
