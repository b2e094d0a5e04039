// Session: what a command does on a machine, from the end of an interrupted run to the report.
#pragma once

#include <optional>
#include <vector>

#include "provisioner/reconcile/drift.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::reconcile {

struct SessionReport {
  std::vector<Change> changes;
  std::size_t writes = 0;        // operations that were, or for a plan would be, carried out
  bool reboot_required = false;  // now: because of this run, or of an earlier one in the same boot
  bool trial = false;            // left open, until `confirm`
  Findings findings;
};

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

// What is to be done on a machine on which no transaction is open, whoever recorded what is ours. Reads only.
Result<Plan> PlanFor(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options);

// Takes over what a payload's script recorded and forgets the reboot of an earlier boot, then brings the machine to
// what `plan`, made by PlanFor, says, with which `sections` become true (of a trial only if something differs). Nothing
// is written where nothing differs.
Result<SessionReport> CarryOut(machine::Machine& machine, Plan plan, bool trial, const Sections& sections = {});

// Ends an interrupted run first.
Result<SessionReport> ApplyOn(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options,
                              bool trial, const Sections& sections = {});

// Reads only. A record of a script that can't be read is `damage`, beside what the ledger says.
Result<StatusReport> StatusOf(machine::Machine& machine);

}  // namespace prov::reconcile
