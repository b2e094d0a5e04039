// Everything of ours leaves this machine: of `remove` and of `pod --remove`.
#pragma once

#include "provisioner/cli/machine_command.h"

namespace prov::cli {

// The settings come first: what keeps them from going, a lost record or a full disk, leaves the service and the program
// as they are. Without a stored source the service does nothing more until it goes. `all`: the service, the program and
// the state as well. Errors: those of node::RemoveSettings and of the ports.
Result<TargetReport> RemoveFromMachine(machine::Host& host, bool all, std::int64_t wait_lock);

}  // namespace prov::cli
