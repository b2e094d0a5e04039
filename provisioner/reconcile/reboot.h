// Reboot need as a level: set durably with the boot that it was found in, gone once the machine has booted again.
#pragma once

#include "provisioner/machine/machine.h"
#include "provisioner/machine/state_record.h"

namespace prov::reconcile {

// With `sections`: a reboot is needed from then on. A machine that does not run (an image) never needs one.
Result<void> MarkReboot(machine::Machine& machine, machine::Sections& sections);

// Whether the running boot still is the one in which the need arose. Reads only.
Result<bool> RebootPending(machine::Machine& machine);

// Removes a marker of an earlier boot, or of the machine that this one was cloned from.
Result<void> ForgetPastReboot(machine::Machine& machine);

}  // namespace prov::reconcile
