// Removing everything of ours from a machine, for `remove` and `pod --remove`.
#pragma once

#include <cstdint>

#include "provisioner/machine/host.h"
#include "provisioner/reconcile/report.h"

namespace prov::cli {

// Opens the machine and waits for its lock. The settings go first: if that fails, because of a lost record or a full
// disk, the service and the program stay. After it no source is stored, so the service does nothing until it is
// removed. `all`: also removes the service, the program and the state. Errors: those of node::RemoveFromMachine and of
// the ports.
Result<reconcile::RunReport> RemoveFromHost(machine::Host& host, bool all, std::int64_t wait_lock);

// What it would do. Reads only.
Result<reconcile::RunReport> PlanRemovalFromHost(machine::Host& host, bool all);

}  // namespace prov::cli
