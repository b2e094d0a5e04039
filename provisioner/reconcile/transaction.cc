#include "provisioner/reconcile/transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/reconcile/execute.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/reboot.h"

namespace prov::reconcile {
namespace {

// If the item's kind lets the run go on, reports the failure.
bool MayContinue(const Operation& operation, const Error& error, Findings& findings) {
  const Result<const Kind*> kind = KindOf(ItemOf(operation));
  std::optional<Finding> failure = kind ? (**kind).MayFail(operation, error) : std::nullopt;
  if (!failure) return false;
  findings.push_back(*std::move(failure));
  return true;
}

// Whether an operation reported a failure although it was done, such as a file that is there and could not be flushed.
Result<bool> IsDoneYet(machine::Machine& machine, const Operation& operation) {
  if (!PROV_TRY(KindOf(ItemOf(operation)))->IsAtomic()) return false;
  const Result<Rebased> left = Rebase(machine, operation);
  return left && left->is_done && !left->is_foreign;
}

// False: the operation failed, which is reported.
Result<bool> ExecuteOrReport(machine::Machine& machine, const Operation& operation, Findings& findings) {
  const Result<void> done = Execute(machine, operation);
  if (done || PROV_TRY(IsDoneYet(machine, operation))) return true;
  if (MayContinue(operation, done.error(), findings)) return false;
  return std::unexpected(done.error());
}

// What could not be removed stays ours, so that the next run tries again. The settings of a trial are in no ledger, so
// taking one back adds their entry here. `is_as_before`: the operation was not done, as far as its kind says so.
Result<void> KeepOwnership(const Operation& operation, bool is_as_before, Run& run) {
  const std::string& item = ItemOf(operation);
  const Kind& kind = *PROV_TRY(KindOf(item));
  const bool restores = is_as_before && kind.IsAtomic();
  if (restores) run.ledger_after.erase(item);
  const auto entry = run.ledger_before.find(item);
  if (entry != run.ledger_before.end()) run.ledger_after.insert(*entry);
  if (!run.is_rollback) return {};
  if (auto ours = kind.OursAfterFailure(operation)) {
    const auto [kept, is_new] = run.ledger_after.try_emplace(item, *ours);
    if (!is_new && restores) kept->second.ours = std::move(ours->ours);
  }
  return {};
}

// An operation that was not carried out, and why; "": it failed.
struct Failed {
  std::string item;
  std::string_view why_kept;
};

// An operation that failed is not a change. If it counted, every round would report one, and hide real changes.
void MarkFailedChanges(const std::vector<Failed>& all, RunReport& report) {
  for (const auto& [item, why_kept] : all) {
    const auto failed = std::ranges::find_if(
        report.changes, [&](const Change& change) { return change.key == item && change.action != Action::kNone; });
    if (failed == report.changes.end()) continue;
    if (!why_kept.empty()) {
      failed->reason = why_kept;
    } else {
      failed->reason = failed->action == Action::kDelete ? "could not be removed" : "could not be set";
    }
    failed->action = Action::kNone;
    failed->after = failed->before;
    --report.writes;
  }
}

// What is left of an operation; nullopt: its place can't be read, which is reported.
Result<std::optional<Rebased>> RebaseOrReport(machine::Machine& machine, const Operation& operation,
                                              Findings& findings) {
  Result<Rebased> out = Rebase(machine, operation);
  if (out) return *std::move(out);
  if (MayContinue(operation, out.error(), findings)) return std::nullopt;
  return std::unexpected(std::move(out).error());
}

Result<void> Flush(machine::Machine& machine) {
  PROV_TRY(machine.certificates.Flush());
  return machine.registry.Flush();
}

void Announce(machine::Machine& machine, const Run& run) {
  if (run.reboot || run.is_rollback) machine.system.AnnounceEnvironment();
}

// False for a round that only gives new pods their policies.
Result<bool> ChangesTheNode(const Run& run) {
  for (const Operation& operation : run.operations) {
    if (PROV_TRY(KindOf(ItemOf(operation)))->ChangesTheNode()) return true;
  }
  return false;
}

// Records the result of a transaction: reboot mark, ledger, the run for `rollback` unless its sections have one, and
// its sections. Then deletes the journal.
Result<void> Record(machine::Machine& machine, const Transaction& transaction) {
  Sections sections = transaction.sections;
  if (transaction.reboot) PROV_TRY(MarkReboot(machine, sections));
  if (transaction.ledger_before != transaction.ledger_after) {
    sections[std::string(kLedgerSection)] = LedgerJson(transaction.ledger_after);
  }
  const bool says_last = sections.contains(kLastSection);
  if (!transaction.is_rollback && !says_last && PROV_TRY(ChangesTheNode(transaction))) {
    sections[std::string(kLastSection)] = LastJson(transaction);
  }
  PROV_TRY(machine.state.Commit(sections));
  return RemoveJournal(machine.state);
}

std::string PlaceOf(const Change& change) { return fmt::format("{} {}", NameOf(change.kind), change.name); }

struct Executed {
  std::vector<Failed> failed;
  std::vector<std::string> left_to_others;  // the items whose places another program had changed
};

// Executes a run whose journal is written, and leaves in it what a rollback has to take back. `meanwhile` is "" for a
// new run; else part of it may be done, and the words say when another program may have changed its places.
Result<Executed> Execute(machine::Machine& machine, Run& run, std::string_view meanwhile, Findings& findings) {
  Executed out;
  std::vector<Operation> places_left, to_take_back;
  to_take_back.reserve(run.operations.size());
  for (const Operation& operation : run.operations) {
    std::optional<Rebased> left = Rebased{operation};
    if (!meanwhile.empty()) left = PROV_TRY(RebaseOrReport(machine, operation, findings));
    const std::string_view why_kept = PROV_TRY(KindOf(ItemOf(operation)))->WhyKept(operation, places_left);
    const bool is_left_out = !left || !why_kept.empty();
    if (!is_left_out && left->is_foreign) {
      AddWarning(findings, "changed-since", fmt::format("another program changed it {}; its value is kept", meanwhile),
                 PlaceOf(PROV_TRY(ChangeOf(operation))));
      places_left.push_back(left->operation);
      if (left->is_done) out.left_to_others.push_back(ItemOf(operation));
    }
    if (!is_left_out && (left->is_done || PROV_TRY(ExecuteOrReport(machine, left->operation, findings)))) {
      to_take_back.push_back(operation);
      continue;
    }
    places_left.push_back(operation);
    out.failed.push_back({ItemOf(operation), why_kept});
    // An interrupted run may have done it before its place became unreadable.
    const bool is_as_before = left && !left->is_done;
    PROV_TRY(KeepOwnership(operation, is_as_before, run));
    const bool was_not_done = is_as_before && PROV_TRY(KindOf(ItemOf(operation)))->IsAtomic();
    if (!was_not_done) to_take_back.push_back(operation);
  }
  run.operations = std::move(to_take_back);
  PROV_TRY(Flush(machine));
  Announce(machine, run);
  return out;
}

// Executes what is left of a transaction whose journal is already written, and records it. `meanwhile`: see Execute.
Result<Executed> Complete(machine::Machine& machine, Transaction transaction, std::string_view meanwhile,
                          Findings& findings) {
  Executed executed = PROV_TRY(Execute(machine, transaction, meanwhile, findings));
  PROV_TRY(Record(machine, transaction));
  return executed;
}

constexpr std::string_view kOthersReason = "was changed since we set it; the other value is kept";
constexpr std::string_view kBeforeFinish = "before an interrupted run was finished";

// A change that was left to others is none of the run's.
void MarkLeftToOthers(const std::vector<std::string>& items, RunReport& report) {
  for (Change& change : report.changes) {
    if (std::ranges::find(items, change.key) == items.end()) continue;
    change.action = Action::kYield;
    change.after = change.before;
    change.reason = kOthersReason;
    --report.writes;
  }
}

// The ledger after `back`. An item whose place others had taken over does not become ours again.
Ledger LedgerBefore(const Run& back) {
  Ledger out;
  for (const auto& [item, entry] : back.ledger_after) {
    const bool changed =
        std::ranges::any_of(back.operations, [&](const Operation& operation) { return ItemOf(operation) == item; });
    if (changed || back.ledger_before.contains(item)) out.emplace(item, entry);
  }
  return out;
}

// Plans the reversed run `back` on the machine as it is now. `owned`: the ledger that the run made.
Result<Plan> PlanOf(machine::Machine& machine, Run back, const Ledger& owned) {
  Plan plan;
  plan.is_rollback = back.is_rollback = true;
  plan.ledger_before = back.ledger_before;
  back.ledger_after = LedgerBefore(back);
  const bool runs = !PROV_TRY(machine.system.BootId()).empty();
  std::vector<Operation> places_left;
  for (const Operation& operation : back.operations) {
    const std::optional<Rebased> left = PROV_TRY(RebaseOrReport(machine, operation, plan.findings));
    const std::string_view why_kept = PROV_TRY(KindOf(ItemOf(operation)))->WhyKept(operation, places_left);
    if (!left) {
      PROV_TRY(KeepOwnership(operation, true, back));
      places_left.push_back(operation);
      continue;
    }
    if (left->is_done && !left->is_foreign) {
      // Another program has restored it since, so it is theirs.
      if (!back.ledger_before.contains(ItemOf(operation))) back.ledger_after.erase(ItemOf(operation));
      continue;
    }
    if (left->is_foreign) places_left.push_back(left->operation);
    Change& change = plan.changes.emplace_back(PROV_TRY(ChangeOf(left->operation)));
    if (!why_kept.empty()) {
      places_left.push_back(operation);
      change.reason = why_kept;
      if (const auto entry = owned.find(change.key); entry != owned.end())
        back.ledger_after.insert_or_assign(entry->first, entry->second);
    } else if (left->is_foreign) {
      change.reason = kOthersReason;
      AddWarning(plan.findings, "changed-since", "another program changed it since it was set; its value is kept",
                 PlaceOf(change));
    }
    if (!why_kept.empty() || left->is_done) {
      change.action = Action::kYield;
      change.after = change.before;
      continue;
    }
    plan.operations.push_back(left->operation);
    plan.reboot = plan.reboot || (runs && PROV_TRY(KindOf(change.key))->NeedsReboot());
  }
  plan.ledger_after = std::move(back.ledger_after);
  return plan;
}

}  // namespace

Result<Unfinished> Finish(machine::Machine& machine, Findings& findings) {
  Unfinished out;
  std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open) return out;
  if (open->trial) {
    out.trial = *std::move(open);
    return out;
  }
  const Result<Executed> executed = Complete(machine, *open, kBeforeFinish, findings);
  if (!executed) {
    Error error = executed.error();
    error.message = fmt::format("{}; an interrupted run has to be finished first, which this prevents", error.message);
    return std::unexpected(std::move(error));
  }
  AddInfo(findings, "recovered",
          open->is_rollback ? "an interrupted rollback was finished" : "an interrupted run was finished",
          std::string(kJournalFile));
  if (open->is_rollback) {
    out.rollback = PROV_TRY(ReportOf(*open));
    MarkLeftToOthers(executed->left_to_others, *out.rollback);
    MarkFailedChanges(executed->failed, *out.rollback);
    out.rollback->reboot_required = PROV_TRY(RebootPending(machine));
  }
  return out;
}

Result<Plan> PlanBack(machine::Machine& machine, const Transaction& trial) {
  Run back = Reversed(trial);
  back.ledger_before = back.ledger_after;  // the ledger never had the trial's settings
  return PlanOf(machine, std::move(back), trial.ledger_after);
}

Result<std::optional<Plan>> PlanBackFromLast(machine::Machine& machine) {
  const std::optional<Run> last = PROV_TRY(LoadLast(machine.state));
  if (!last) return std::nullopt;
  Run back = Reversed(*last);
  const Ledger now = PROV_TRY(LoadLedger(machine.state));
  for (const Kind* kind : Kinds()) kind->AddLaterItems(now, back);
  return PROV_TRY(PlanOf(machine, std::move(back), last->ledger_after));
}

Result<RunReport> CarryOut(machine::Machine& machine, Plan plan, const Sections& sections,
                           const std::optional<std::string>& trial) {
  PROV_TRY(ForgetPastReboot(machine));
  const bool work = plan.HasWork();
  const bool reboot = plan.reboot;
  Findings findings;
  std::vector<Failed> failed;
  if (work) {
    Transaction run{plan, trial, trial ? Sections() : sections};
    PROV_TRY(SaveJournal(machine.state, run));
    failed = PROV_TRY(Execute(machine, run, "", findings)).failed;
    if (!trial) PROV_TRY(Record(machine, run));
  } else if (!trial) {
    PROV_TRY(machine.state.Commit(sections));
    if (plan.is_rollback) PROV_TRY(RemoveJournal(machine.state));  // ends a trial with nothing left to undo
  }
  RunReport report = ReportOf(std::move(plan));
  report.trial = trial && work;
  report.reboot_required = PROV_TRY(RebootPending(machine)) || (report.trial && reboot);
  MarkFailedChanges(failed, report);
  report.findings.insert(report.findings.end(), findings.begin(), findings.end());
  return report;
}

Result<RunReport> Confirm(machine::Machine& machine, Transaction trial, const Sections& sections) {
  trial.trial.reset();
  trial.sections = sections;
  RunReport report = PROV_TRY(ReportOf(trial));
  PROV_TRY(SaveJournal(machine.state, trial));
  const Executed executed = PROV_TRY(Complete(machine, std::move(trial), "while the trial was open", report.findings));
  MarkLeftToOthers(executed.left_to_others, report);
  MarkFailedChanges(executed.failed, report);
  report.reboot_required = PROV_TRY(RebootPending(machine));
  return report;
}

Run Reversed(const Run& run) {
  Run out{{}, run.ledger_after, run.ledger_before, run.reboot};
  for (auto operation = run.operations.rbegin(); operation != run.operations.rend(); ++operation) {
    out.operations.push_back(Inverse(*operation));
  }
  return out;
}

}  // namespace prov::reconcile
