// Observe: what commands that only read say about a machine: its plan, its drift and its status.
#pragma once

#include <optional>
#include <vector>

#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/report.h"

namespace prov::reconcile {

struct StatusReport {
  std::vector<Drift> drift;           // to be repaired
  std::vector<Drift> yielded;         // left to the Windows Machine Config Operator's daemon
  Ledger ledger;                      // merged with the record of a payload's script
  std::optional<ScriptState> script;  // the part that is still in the script's files
  std::optional<Error> damage;        // why the script's record can't be read
  bool open_transaction = false;
  bool trial = false;
  bool reboot_required = false;
};

// Reads only: an interrupted run is reported (`open-transaction`), not finished.
Result<RunReport> PlanOn(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options);

// Errors: those of the ports; type for a ledger item that this version does not know.
Result<std::vector<Drift>> FindDrift(machine::Machine& machine, const Ledger& ledger);

// Reads only. If a script's record can't be read, `damage` holds the error, and the report covers the ledger alone.
Result<StatusReport> StatusOf(machine::Machine& machine);

}  // namespace prov::reconcile
