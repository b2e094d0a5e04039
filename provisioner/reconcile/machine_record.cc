#include "provisioner/reconcile/machine_record.h"

#include <algorithm>

#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::reconcile {
namespace {

// Merges an item that this program set before the script did. The value from before both is what a removal restores.
// The script's value is ours, unless it was changed since.
Result<void> Merge(machine::Machine& machine, const std::string& item, const LedgerEntry& script, LedgerEntry& own) {
  const Kind& kind = *PROV_TRY(KindOf(item));
  if (PROV_TRY(kind.FindDrift(machine, item, script))) return {};
  own.ours = kind.OursAfterScript(item, own, script);
  for (const std::string& key : script.own_keys) {
    if (std::ranges::find(own.own_keys, key) == own.own_keys.end()) own.own_keys.push_back(key);
  }
  return {};
}

}  // namespace

Result<MachineRecord> LoadMachineRecord(machine::Machine& machine) {
  MachineRecord out{PROV_TRY(LoadLedger(machine.state)), PROV_TRY(LoadScriptState(machine))};
  if (!out.script) return out;
  for (const auto& [item, entry] : out.script->ledger) {
    const auto [own, is_new] = out.ledger.try_emplace(item, entry);
    if (!is_new) PROV_TRY(Merge(machine, item, entry, own->second));
  }
  return out;
}

void ReportScriptRecord(const MachineRecord& record, Findings& findings) {
  if (!record.script) return;
  AddInfo(findings, "script-state",
          "a payload's script set and recorded the settings here; the next apply or reconcile takes the record over",
          std::string(kScriptStatePlace));
}

Result<std::optional<ScriptState>> AdoptScriptState(machine::Machine& machine, Findings& findings) {
  MachineRecord record = PROV_TRY(LoadMachineRecord(machine));
  if (!record.script) return std::nullopt;
  Ledger before = PROV_TRY(LoadLedger(machine.state));
  Sections taken;
  // If the ledger has all of it already, an earlier run was cut short before it deleted the script's files.
  if (before != record.ledger) {
    // The script's run is the reverse of what would undo it.
    Run run = Reversed(PROV_TRY(MakePlan(machine, NothingDesired(), record.script->ledger, {})));
    run.ledger_before = std::move(before);
    run.ledger_after = record.ledger;
    if (!run.operations.empty()) taken[std::string(kLastSection)] = LastJson(run);
    taken[std::string(kLedgerSection)] = LedgerJson(record.ledger);
  }
  if (PROV_TRY(ScriptNeedsReboot(machine, *record.script))) PROV_TRY(MarkReboot(machine, taken));
  PROV_TRY(machine.state.Commit(taken));
  PROV_TRY(RemoveScriptState(machine.state.folder()));
  AddInfo(findings, "script-state",
          "this program took over the record of a payload's script: provisioner remove undoes what the script set, and "
          "Apply-Egress.ps1 -Undo can't any more",
          std::string(kScriptStateFile));
  return std::move(record.script);
}

}  // namespace prov::reconcile
