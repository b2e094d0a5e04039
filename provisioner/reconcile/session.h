// Session: what a machine looks like, to commands that only read: a plan, or its state.
#pragma once

#include <optional>
#include <vector>

#include "provisioner/reconcile/drift.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

struct StatusReport {
  std::vector<Drift> drift;           // to be repaired
  std::vector<Drift> yielded;         // left to the Windows Machine Config Operator's daemon
  Ledger ledger;                      // with what a payload's script recorded
  std::optional<ScriptState> script;  // what of it is still the script's
  std::optional<Error> damage;        // why the script's record can't be read
  bool open_transaction = false;
  bool trial = false;
  bool reboot_required = false;
};

// Reads only: an interrupted run is named (`open-transaction`), not ended.
Result<SessionReport> PlanOn(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options);

// Reads only. If a script's record can't be read, the error is in `damage`, beside what the ledger says.
Result<StatusReport> StatusOf(machine::Machine& machine);

}  // namespace prov::reconcile
