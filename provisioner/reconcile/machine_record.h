// The items that are ours on a machine: this program's ledger, merged with what a payload's script recorded and this
// program has not taken over yet. Commands use both together, never the ledger alone.
#pragma once

#include <optional>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/script_state.h"

namespace prov::reconcile {

struct MachineRecord {
  Ledger ledger;                      // both merged
  std::optional<ScriptState> script;  // the part that is still in the script's files
};

// Reads only. Errors: those of the ports, of LoadLedger and of LoadScriptState.
Result<MachineRecord> LoadMachineRecord(machine::Machine& machine);

// Adds the finding `script-state` (info): a script holds the record, and the next apply or reconcile takes it over.
void ReportScriptRecord(const MachineRecord& record, Findings& findings);

// Takes over the script's record: the ledger, the pending reboot, and the last run for Rollback. Then deletes its
// files. Must not be called while a transaction is open: it would overwrite the ledger with its own. Returns what was
// taken over, with the finding `script-state` (info); nullopt if there was nothing.
Result<std::optional<ScriptState>> AdoptScriptState(machine::Machine& machine, Findings& findings);

}  // namespace prov::reconcile
