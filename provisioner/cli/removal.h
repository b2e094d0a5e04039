// Removes everything of ours from this machine, for `remove` and `pod --remove`.
#pragma once

#include "provisioner/cli/machine_command.h"

namespace prov::cli {

// Removes the settings first: if that fails, because of a lost record or a full disk, the service and the program stay.
// After it no source is stored, so the service does nothing until it is removed. `all`: also removes the service, the
// program and the state. Errors: those of node::RemoveSettings and of the ports.
Result<TargetReport> RemoveFromMachine(machine::Host& host, bool all, std::int64_t wait_lock);

}  // namespace prov::cli
