// Guard against a machine that needs the same change, and therefore a reboot, at each boot: something there undoes it.
#pragma once

#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/plan.h"

namespace prov::node {

inline constexpr std::size_t kMostBoots = 3;

// Counts the boots in which `plan` was needed. Errors: reboot-loop when kMostBoots were not enough; nothing is to be
// written then.
Result<void> GuardAgainstRebootLoop(machine::Machine& machine, const reconcile::Plan& plan);

}  // namespace prov::node
