// Transaction: a plan's operations carried out so that any instruction may be the last. The journal is written and
// flushed before the first of them; an open one is finished or taken back by the next run.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/reconcile/journal.h"
#include "provisioner/reconcile/plan.h"

namespace prov::reconcile {

// Takes over what a payload's script recorded and forgets the reboot of an earlier boot, then brings the machine to
// what `plan` says, with which `sections` become true (of a trial only if something differs). The plan is one for this
// machine, by LoadMachineRecord's ledger, and no transaction is open. Nothing is written where nothing differs.
Result<SessionReport> CarryOut(machine::Machine& machine, Plan plan, bool trial, const Sections& sections = {});

// Journal, operations, flush; and, unless it is a trial, Commit. What HNS does not do is a finding (`hns-endpoint`).
Result<void> Run(machine::Machine& machine, Transaction transaction, Findings& findings);

// Brings the machine from `before` to `after`; harmless when it is there already.
Result<void> Execute(machine::Machine& machine, const Operation& operation);

// Where the machine stands: kOther means that somebody else changed the place since.
enum class Progress { kBefore, kAfter, kOther };
Result<Progress> Observe(machine::Machine& machine, const Operation& operation);

// What the journal says is done is written down: reboot marker, ledger, the run for `rollback`, and its own sections.
// Then it goes.
Result<void> Commit(machine::Machine& machine, const Transaction& transaction);

// Finishes an interrupted run, if there is one; trials are left as they are. A place that somebody else changed
// meanwhile is left alone (`interrupted` finding). Whether there was one.
Result<bool> FinishRun(machine::Machine& machine, Findings& findings);

// The same, and a trial whose beginning was interrupted is carried out; it stays open.
Result<bool> Finish(machine::Machine& machine, Findings& findings);

// Ends an open transaction: finishes it, or takes a trial back, with which the sections `back` become true. Places as
// for FinishRun. Whether there was one.
Result<bool> Recover(machine::Machine& machine, Findings& findings, const Sections& back = {});

// The opposite: from `after` to `before` in reverse order, as a transaction of its own.
Transaction Reversed(const Transaction& transaction);

// Its operations as changes of items, in their order and without secrets: for reports of runs that make no plan.
std::vector<Change> ChangesOf(const Transaction& transaction);

// What `Rollback` would carry out, the rest of an interrupted one included; nullopt: there is nothing to take back.
Result<std::optional<Transaction>> PlanRollback(machine::StateRecord& state);

// Takes the open trial or, where there is none, the last finished transaction back, with which `sections` become true.
// A rollback that was interrupted is finished instead, and nothing more is taken back. False: there is nothing to take
// back.
Result<bool> Rollback(machine::Machine& machine, Findings& findings, const Sections& sections = {});

// Makes an open trial permanent, with which `sections` become true; the rest of one that was interrupted is done.
// False: there is none.
Result<bool> Confirm(machine::Machine& machine, Findings& findings, const Sections& sections = {});

}  // namespace prov::reconcile
