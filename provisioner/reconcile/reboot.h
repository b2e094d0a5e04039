// The mark of a needed reboot. It is stored durably with the ID of the boot in which the need arose, and no longer
// counts once the machine has restarted.
#pragma once

#include "provisioner/machine/machine.h"
#include "provisioner/machine/state_record.h"

namespace prov::reconcile {

// Records in `sections` that a reboot is needed. A machine that does not run (an image) never needs one.
Result<void> MarkReboot(machine::Machine& machine, machine::Sections& sections);

// Whether the running boot still is the one in which the need arose. Reads only.
Result<bool> RebootPending(machine::Machine& machine);

// Removes a mark of an earlier boot, or of the machine that this one was cloned from.
Result<void> ForgetPastReboot(machine::Machine& machine);

}  // namespace prov::reconcile
