// Transaction: writing a journal commits a plan; then it is executed and recorded, so that the program may be killed at
// any instruction. An apply, a trial, a removal and a rollback all work alike: a command first finishes what another
// one left open, then carries out its own plan.
#pragma once

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"
#include "provisioner/reconcile/report.h"

namespace prov::reconcile {

// What a command finds open when it begins.
struct Unfinished {
  std::optional<Transaction> trial;   // stays open
  std::optional<RunReport> rollback;  // an interrupted rollback, now finished
};

// Finishes an interrupted run or rollback (finding `recovered`). A value that another program changed meanwhile is left
// alone (finding `changed-since`).
Result<Unfinished> Finish(machine::Machine& machine, Findings& findings);

// The plan that takes a trial or a finished run back. It restores what was there before, except where others changed it
// since (action kYield, finding `changed-since`). Reads only. PlanBack is for an open trial. PlanBackFromLast is for
// the last run that changed the node; nullopt: there is none.
Result<Plan> PlanBack(machine::Machine& machine, const Transaction& trial);
Result<std::optional<Plan>> PlanBackFromLast(machine::Machine& machine);

// Commits, executes and records a plan; the `sections` are recorded in the same step. With `trial` (see Transaction) it
// stays open, without sections. Clears the reboot mark of an earlier boot. A failure that the item's kind lets pass
// (Kind::MayFail) is only a finding. If nothing differs, writes nothing, except that it ends a trial with nothing left
// to undo. The plan must be made for this machine as it is now. No transaction may be open, except for the trial that
// the plan takes back.
Result<RunReport> CarryOut(machine::Machine& machine, Plan plan, const Sections& sections,
                           const std::optional<std::string>& trial = {});

// Makes an open trial permanent and records the `sections` with it. Also carries out any part of it that is missing.
Result<RunReport> Confirm(machine::Machine& machine, Transaction trial, const Sections& sections);

// The reverse run: from each `after` to its `before`, in reverse order.
Run Reversed(const Run& run);

}  // namespace prov::reconcile
