// What is ours on a machine, whoever wrote it down: this program's ledger, and what a payload's script recorded and no
// run of this program has taken over yet. Commands go by both in one, never by the ledger alone.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/script_state.h"

namespace prov::reconcile {

struct MachineRecord {
  Ledger ledger;                      // both in one
  std::optional<ScriptState> script;  // what is still the script's
};

// Reads only. Errors: those of the ports, of LoadLedger and of LoadScriptState.
Result<MachineRecord> LoadMachineRecord(machine::Machine& machine);

// Finding `script-state` (info): the record is the script's, and who takes it over.
void ReportScriptRecord(const MachineRecord& record, Findings& findings);

// The script's record becomes this program's: the ledger, the reboot that it waits for, and the last run for Rollback.
// Then its files go. Must not run while a transaction is open: its end would write its own ledger. What was taken over,
// with findings `script-state` and `script-certificate` (info); nullopt where there was nothing.
Result<std::optional<ScriptState>> AdoptScriptState(machine::Machine& machine, Findings& findings);

}  // namespace prov::reconcile
