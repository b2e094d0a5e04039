// What is ours on a machine, whoever recorded it: this program's ledger, merged with what a payload's script recorded
// and this program has not taken over yet. Commands use both together, never the ledger alone.
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

// Finding `script-state` (info): the record is the script's, and what will take it over.
void ReportScriptRecord(const MachineRecord& record, Findings& findings);

// Takes over the script's record: the ledger, the reboot that it waits for, and the last run for Rollback. Then deletes
// its files. Must not run while a transaction is open: when that ends, it writes its own ledger. Returns what was taken
// over, with the finding `script-state` (info); nullopt if there was nothing.
Result<std::optional<ScriptState>> AdoptScriptState(machine::Machine& machine, Findings& findings);

}  // namespace prov::reconcile
