// Transaction: carries out a plan's operations so that the program may be killed at any instruction. The journal is
// written and flushed before the first operation; the next run finishes an open journal or takes it back.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

// Takes over what a payload's script recorded, forgets the reboot of an earlier boot, then brings the machine to what
// `plan` says. The `sections` become true with it (for a trial, only if something differs). The plan must be made for
// this machine with LoadMachineRecord's ledger, and no transaction may be open. Nothing is written if nothing differs.
Result<SessionReport> CarryOut(machine::Machine& machine, Plan plan, bool trial, const Sections& sections = {});

// Writes the journal, executes the operations and flushes; unless it is a trial, then Commit. What HNS does not do is a
// finding (`hns-endpoint`).
Result<void> Run(machine::Machine& machine, Transaction transaction, Findings& findings);

// Brings the place from `before` to `after`; does nothing if it is there already.
Result<void> Execute(machine::Machine& machine, const Operation& operation);

// The state of a place: kOther means that somebody else changed it since.
enum class Progress { kBefore, kAfter, kOther };
Result<Progress> Observe(machine::Machine& machine, const Operation& operation);

// Records what the journal says is done: reboot marker, ledger, the run for `rollback`, and its own sections. Then
// deletes the journal.
Result<void> Commit(machine::Machine& machine, const Transaction& transaction);

// Finishes an interrupted run, if there is one; trials are left as they are. A place that somebody else changed
// meanwhile is left alone (`interrupted` finding). Returns whether there was one.
Result<bool> FinishRun(machine::Machine& machine, Findings& findings);

// The same; a trial that was interrupted while it was applied is carried out as well, and stays open.
Result<bool> Finish(machine::Machine& machine, Findings& findings);

// Ends an open transaction: finishes it, or takes a trial back, and then the sections `back` become true. Places that
// others changed are treated as in FinishRun. Returns whether there was one.
Result<bool> Recover(machine::Machine& machine, Findings& findings, const Sections& back = {});

// The reverse: from `after` to `before` in reverse order, as a transaction of its own.
Transaction Reversed(const Transaction& transaction);

// Its operations as changes of items, in order and without secrets: for reports of runs that make no plan.
std::vector<Change> ChangesOf(const Transaction& transaction);

// What `Rollback` would carry out, including the rest of an interrupted one; nullopt: there is nothing to take back.
Result<std::optional<Transaction>> PlanRollback(machine::StateRecord& state);

// Takes the open trial or, where there is none, the last finished transaction back, with which `sections` become true.
// A rollback that was interrupted is finished instead, and nothing more is taken back. False: there is nothing to take
// back.
Result<bool> Rollback(machine::Machine& machine, Findings& findings, const Sections& sections = {});

// Makes an open trial permanent; the `sections` become true, and if it was interrupted, the rest is carried out. False:
// there is none.
Result<bool> Confirm(machine::Machine& machine, Findings& findings, const Sections& sections = {});

}  // namespace prov::reconcile
