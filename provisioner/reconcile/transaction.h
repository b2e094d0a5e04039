// Transaction: what is planned is committed by writing a journal, then executed and recorded, so that the program may
// be killed at any instruction. Each command first finishes what another one left open, then carries out a plan of its
// own: for an apply, a trial, a removal and a rollback alike.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

// What a command finds open when it begins.
struct Unfinished {
  std::optional<Transaction> trial;       // it stays open
  std::optional<SessionReport> rollback;  // it was interrupted, and is finished now
};

// Finishes an interrupted run or rollback (finding `recovered`). A place that somebody else changed meanwhile is left
// alone (finding `changed-since`).
Result<Unfinished> Finish(machine::Machine& machine, Findings& findings);

// The plan that takes a trial or a finished run back: to what was there before it, but for what others changed since
// (action kYield, finding `changed-since`). Reads only. The first one is for an open trial, the second one for the last
// run that changed the node; nullopt: there is none.
Result<Plan> PlanBack(machine::Machine& machine, const Transaction& trial);
Result<std::optional<Plan>> PlanBackFromLast(machine::Machine& machine);

// Commits, executes and records a plan, with which the `sections` become true. With `trial` (see Transaction) it stays
// open, without sections. Forgets the reboot of an earlier boot. What HNS does not do is a finding (`hns-endpoint`).
// Nothing is written if nothing differs, but that a trial of which nothing is left ends. The plan must be made for this
// machine as it is now, and no transaction may be open, except for the trial that the plan takes back.
Result<SessionReport> CarryOut(machine::Machine& machine, Plan plan, const Sections& sections,
                               const std::optional<std::string>& trial = {});

// Makes an open trial permanent, with which the `sections` become true, and carries out what of it is missing.
Result<SessionReport> Confirm(machine::Machine& machine, Transaction trial, const Sections& sections);

// Its operations as changes of items, in order and without secrets. Errors: type (an item of no known kind).
Result<std::vector<Change>> ChangesOf(const Transaction& transaction);

// The reverse: from `after` to `before` in reverse order.
Transaction Reversed(const Transaction& transaction);

}  // namespace prov::reconcile
