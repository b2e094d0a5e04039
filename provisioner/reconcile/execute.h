// Executes one operation, and computes what is left of one on a machine that others may have changed.
#pragma once

#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

// Brings the place from `before` to `after`; does nothing if it is there already. Errors: those of the ports.
Result<void> Execute(machine::Machine& machine, const Operation& operation);

// An operation, adapted to the machine as it is now.
struct Rebased {
  Operation operation;      // `before` is the present value
  bool is_done = false;     // nothing is left to do
  bool is_foreign = false;  // another program changed the place since; its value stays
};

// Finds what is left to do, as the item's kind does it: a service's environment entry by entry, other values by what
// they mean, the rest as a whole. Errors: those of the ports; type (unknown item).
Result<Rebased> Rebase(machine::Machine& machine, const Operation& operation);

// Compares the place as a whole.
Result<Rebased> RebaseWhole(machine::Machine& machine, const Operation& operation);

// Compares type and bytes, but not the name: its case may differ.
bool SameContent(const std::optional<images::RegValue>& a, const std::optional<images::RegValue>& b);

}  // namespace prov::reconcile
