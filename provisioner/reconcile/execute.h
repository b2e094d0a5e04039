// Execute: carries out one operation, and finds out what is left of one on a machine that others may have changed.
#pragma once

#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/operation.h"

namespace prov::reconcile {

// Brings the place from `before` to `after`; does nothing if it is there already. Errors: those of the ports.
Result<void> Execute(machine::Machine& machine, const Operation& operation);

// What an operation comes to on a machine as it is now.
struct Rebased {
  Operation operation;      // its `before` is what is there
  bool is_done = false;     // nothing is left to do
  bool is_foreign = false;  // somebody else changed the place since, and what they set stays
};

// By the kind of its item: a service's environment entry by entry, anything else as a whole. Errors: those of the
// ports; type (no such item is known).
Result<Rebased> Rebase(machine::Machine& machine, const Operation& operation);

// The place as a whole, which is what most kinds do.
Result<Rebased> RebaseWhole(machine::Machine& machine, const Operation& operation);

// Type and bytes; the spelling of the name is not content.
bool SameContent(const std::optional<images::RegValue>& a, const std::optional<images::RegValue>& b);

}  // namespace prov::reconcile
