#include "provisioner/reconcile/transaction.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/descriptor.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/endpoint_change.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/pod_policies.h"
#include "provisioner/reconcile/reboot.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

Result<void> ExecuteOn(machine::Machine& machine, const RegistryWrite& write) {
  if (write.after) return machine.registry.Set(write.key, *write.after);
  PROV_TRY(machine.registry.DeleteValue(write.key, write.name));
  for (auto key = write.own_keys.rbegin(); key != write.own_keys.rend(); ++key) {
    PROV_TRY(machine.registry.DeleteKeyIfEmpty(*key));
  }
  return {};
}

Result<void> ExecuteOn(machine::Machine& machine, const CertificateWrite& write) {
  return write.add ? machine.certificates.Add(write.store, write.der)
                   : machine.certificates.Remove(write.store, write.der);
}

Result<void> ExecuteOn(machine::Machine& machine, const SecurityWrite& write) {
  // "" is for a key that was not there before: it went with the operation that took its value back.
  if (write.after.empty()) return {};
  if (!write.before.empty() && !PROV_TRY(machine.registry.KeyExists(write.key))) return {};  // gone since
  return machine.registry.SetSecurity(write.key, write.after);
}

// A pod that has ended meanwhile needs nothing any more.
Result<void> ExecuteOn(machine::Machine& machine, const EndpointWrite& write) {
  const auto now = PROV_TRY(hns::ReadEndpoint(machine.network, write.endpoint));
  if (!now) return {};
  const hns::EndpointChange change = hns::ChangeToEnsure(now->settings, write.after);
  if (!change.IsEmpty()) PROV_TRY(hns::ChangeEndpoint(machine.network, write.endpoint, change));
  return {};
}

bool SameContent(const std::optional<RegValue>& a, const std::optional<RegValue>& b) {
  if (!a || !b) return !a && !b;
  return a->type == b->type && a->data == b->data;  // the spelling of the name is not content
}

Result<Progress> ObserveOn(machine::Machine& machine, const RegistryWrite& write) {
  const std::optional<RegValue> now = PROV_TRY(machine.registry.Read(write.key, write.name));
  if (SameContent(now, write.after)) return Progress::kAfter;
  return SameContent(now, write.before) ? Progress::kBefore : Progress::kOther;
}

Result<Progress> ObserveOn(machine::Machine& machine, const CertificateWrite& write) {
  const bool there = PROV_TRY(machine.certificates.Contains(write.store, write.der));
  return there == write.add ? Progress::kAfter : Progress::kBefore;
}

// Windows may store a descriptor in other words than it was given: what counts is whom it lets in.
Result<Progress> ObserveOn(machine::Machine& machine, const SecurityWrite& write) {
  const std::string now = PROV_TRY(machine.registry.Security(write.key));
  const images::Sids others = images::OthersGranted(write.after);
  const bool same = images::IsForAdministratorsOnly(now, others) && images::OthersGranted(now) == others;
  return same ? Progress::kAfter : Progress::kBefore;
}

// A change takes the old policies away before it adds new ones, so some of the old ones alone are no work of others.
Result<Progress> ObserveOn(machine::Machine& machine, const EndpointWrite& write) {
  const auto now = PROV_TRY(hns::ReadEndpoint(machine.network, write.endpoint));
  if (!now || hns::ChangeToEnsure(now->settings, write.after).IsEmpty()) return Progress::kAfter;
  std::vector<std::string> known = write.before;
  known.insert(known.end(), write.after.begin(), write.after.end());
  return hns::ChangeToAdd(known, now->settings).IsEmpty() ? Progress::kBefore : Progress::kOther;
}

std::string PlaceOfOperation(const Operation& operation) {
  if (const auto* write = std::get_if<EndpointWrite>(&operation)) return write->endpoint;
  if (const auto* write = std::get_if<RegistryWrite>(&operation)) return write->key + "\\" + write->name;
  if (const auto* write = std::get_if<SecurityWrite>(&operation)) return write->key + " (descriptor)";
  return fmt::format("certificate store {}", NameOf(std::get<CertificateWrite>(operation).store));
}

// Whether the operation says who may read a key, a value of which was left as it is: that may be a password of ours.
bool IsForKeyOf(const Operation& operation, const std::vector<std::string>& left) {
  const auto* write = std::get_if<SecurityWrite>(&operation);
  return write != nullptr &&
         std::ranges::any_of(left, [&](const std::string& key) { return EqualsIgnoreAsciiCase(key, write->key); });
}

// Pods come and go, and HNS may refuse a policy or answer "done" and do nothing: what fails on one endpoint is told,
// and holds up neither the other endpoints nor the node's own settings. It is drift until a later run mends it.
bool MayGoOn(const Operation& operation, const Error& error, Findings& findings) {
  const auto* write = std::get_if<EndpointWrite>(&operation);
  if (write == nullptr || (error.code != Code::kHns && error.code != Code::kTarget)) return false;
  AddWarning(findings, "hns-endpoint", error.message, write->endpoint);
  return true;
}

// False: it failed, which is told.
Result<bool> ExecuteOrTell(machine::Machine& machine, const Operation& operation, Findings& findings) {
  const Result<void> done = Execute(machine, operation);
  if (done) return true;
  if (MayGoOn(operation, done.error(), findings)) return false;
  return std::unexpected(done.error());
}

// What could not be taken away is ours still, so that the next run tries again. No ledger has what a trial set.
void StayOurs(const Operation& operation, Transaction& transaction) {
  const auto entry = transaction.ledger_before.find(ItemOf(operation));
  if (entry != transaction.ledger_before.end()) transaction.ledger_after.insert(*entry);
  const auto* write = std::get_if<EndpointWrite>(&operation);
  if (!transaction.takes_back || write == nullptr || write->before.empty()) return;
  LedgerEntry set{{}, EncodeSettings(write->before), {}};
  if (!write->after.empty()) set.before = EncodeSettings(write->after);
  transaction.ledger_after.try_emplace(write->item, std::move(set));
}

// What was not done is no change: a report that says so each minute would hide the others.
void LeaveOutFailed(const Findings& told, SessionReport& report) {
  for (const Finding& finding : told) {
    const auto failed = std::ranges::find_if(report.changes, [&](const Change& change) {
      return change.kind == ItemKind::kHns && change.name == finding.where && change.action != Action::kNone;
    });
    if (failed == report.changes.end()) continue;
    failed->reason = failed->action == Action::kDelete ? "could not be removed" : "could not be set";
    failed->action = Action::kNone;
    failed->after = failed->before;
    --report.writes;
  }
}

// Where an operation stands; nullopt: that can't be seen, which is told.
Result<std::optional<Progress>> ObserveOrTell(machine::Machine& machine, const Operation& operation,
                                              Findings& findings) {
  const Result<Progress> seen = Observe(machine, operation);
  if (seen) return *seen;
  if (MayGoOn(operation, seen.error(), findings)) return std::nullopt;
  return std::unexpected(seen.error());
}

// Carries out those operations whose place nobody else changed.
Result<void> Replay(machine::Machine& machine, Transaction& transaction, Findings& findings) {
  std::vector<std::string> left;
  for (const Operation& operation : transaction.operations) {
    if (IsForKeyOf(operation, left)) {
      AddWarning(findings, "interrupted", "stays closed, as its environment was left as it is",
                 PlaceOfOperation(operation));
      continue;
    }
    const std::optional<Progress> progress = PROV_TRY(ObserveOrTell(machine, operation, findings));
    if (!progress) {
      StayOurs(operation, transaction);
      continue;
    }
    switch (*progress) {
      case Progress::kBefore:
      case Progress::kAfter:  // again, for keys of ours that a cut run left behind
        if (!PROV_TRY(ExecuteOrTell(machine, operation, findings))) StayOurs(operation, transaction);
        break;
      case Progress::kOther:
        AddWarning(findings, "interrupted",
                   "was changed by somebody else before an interrupted run was ended; left as it is",
                   PlaceOfOperation(operation));
        if (const auto* write = std::get_if<RegistryWrite>(&operation)) left.push_back(write->key);
        break;
    }
  }
  return {};
}

Result<void> Flush(machine::Machine& machine) {
  PROV_TRY(machine.certificates.Flush());
  return machine.registry.Flush();
}

void Announce(machine::Machine& machine, const Transaction& transaction) {
  if (transaction.reboot || transaction.takes_back) machine.system.AnnounceEnvironment();
}

// Rounds give each new pod its policies. `rollback` is about the last run that changed the node itself.
bool ChangesTheNode(const Transaction& transaction) {
  return !std::ranges::all_of(transaction.operations,
                              [](const Operation& one) { return std::holds_alternative<EndpointWrite>(one); });
}

// The journal says them already; some may be done.
Result<void> Redo(machine::Machine& machine, Transaction& transaction, Findings& findings) {
  if (transaction.operations.empty()) return {};
  PROV_TRY(Replay(machine, transaction, findings));
  PROV_TRY(Flush(machine));
  Announce(machine, transaction);
  return {};
}

Result<void> Complete(machine::Machine& machine, Transaction transaction, Findings& findings) {
  PROV_TRY(Redo(machine, transaction, findings));
  return Commit(machine, transaction);
}

Result<void> RollBackTrial(machine::Machine& machine, const Transaction& trial, const Sections& sections,
                           Findings& findings) {
  Transaction back = Reversed(trial);
  back.takes_back = true;
  back.reboot = false;
  back.ledger_before = back.ledger_after;  // no ledger ever had what was tried
  back.sections = trial.sections;
  AddSections(back.sections, sections);
  PROV_TRY(SaveJournal(machine.state, back));
  PROV_TRY(Complete(machine, std::move(back), findings));
  AddInfo(findings, "recovered", "a trial that was not confirmed was rolled back", std::string(kJournalFile));
  return {};
}

const LedgerEntry* AnyPod(const Ledger& ledger) {
  const auto found = std::ranges::find_if(ledger, [](const auto& one) { return one.first.starts_with(kHnsItem); });
  return found == ledger.end() ? nullptr : &found->second;
}

std::vector<std::string> SettingsOf(const std::optional<RegValue>& value) {
  return value ? DecodeSettings(*value) : std::vector<std::string>();
}

// Pods that came after a run have their policies from later ones, which are no runs to take back. Where the run brought
// the policy or changed it, these pods go the way of the others; else they keep it, and it stays ours. The first run of
// all brought everything, also where there was no pod yet, as at the first boot.
void AddLaterPods(const Ledger& now, Transaction& back) {
  const LedgerEntry* const given = AnyPod(back.ledger_before);
  const std::optional<LedgerEntry> earlier =
      AnyPod(back.ledger_after) != nullptr ? std::optional(*AnyPod(back.ledger_after)) : std::nullopt;
  const bool changed = back.ledger_after.empty() || (given != nullptr && (!earlier || earlier->ours != given->ours));
  for (const auto& [item, entry] : now) {
    if (!item.starts_with(kHnsItem) || back.ledger_before.contains(item)) continue;
    LedgerEntry then = entry;
    back.ledger_before[item] = entry;
    if (changed) {
      then.ours = earlier ? earlier->ours : std::nullopt;
      back.operations.emplace_back(EndpointWrite{item.substr(kHnsItem.size()), SettingsOf(entry.ours),
                                                 SettingsOf(earlier ? earlier->ours : entry.before), item});
    }
    if (then.ours) back.ledger_after[item] = std::move(then);
  }
}

// What takes the last run back.
Result<std::optional<Transaction>> BackFromLast(machine::StateRecord& state) {
  const std::optional<Transaction> last = PROV_TRY(LoadLast(state));
  if (!last) return std::nullopt;
  Transaction back = Reversed(*last);
  AddLaterPods(PROV_TRY(LoadLedger(state)), back);
  return back;
}

// The journal of a trial stays: its sections are written now, so it need not say them any more.
Result<void> LeaveOpen(machine::StateRecord& state, Transaction trial) {
  if (trial.sections.empty()) return {};
  PROV_TRY(state.Commit(trial.sections));
  trial.sections.clear();
  return SaveJournal(state, trial);
}

}  // namespace

Result<SessionReport> CarryOut(machine::Machine& machine, Plan plan, bool trial, const Sections& sections) {
  Findings findings;
  PROV_TRY(AdoptScriptState(machine, findings));  // the ledger is then that of the plan
  PROV_TRY(ForgetPastReboot(machine));
  const bool work = plan.HasWork();
  Findings told;
  if (work) {
    Transaction run{trial, plan.reboot, plan.operations, plan.ledger_before, plan.ledger_after};
    run.sections = sections;
    PROV_TRY(Run(machine, std::move(run), told));
  } else if (!trial) {
    PROV_TRY(CommitSections(machine.state, sections));
  }
  const bool reboot = plan.reboot;
  SessionReport report = ReportOf(std::move(plan));
  report.trial = trial && work;
  report.reboot_required = PROV_TRY(RebootPending(machine)) || (report.trial && reboot);
  LeaveOutFailed(told, report);
  findings.insert(findings.end(), told.begin(), told.end());
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  return report;
}

Result<void> Run(machine::Machine& machine, Transaction transaction, Findings& findings) {
  PROV_TRY(SaveJournal(machine.state, transaction));
  for (const Operation& operation : transaction.operations) {
    if (!PROV_TRY(ExecuteOrTell(machine, operation, findings))) StayOurs(operation, transaction);
  }
  PROV_TRY(Flush(machine));
  Announce(machine, transaction);
  return transaction.trial ? LeaveOpen(machine.state, transaction) : Commit(machine, transaction);
}

Result<void> Execute(machine::Machine& machine, const Operation& operation) {
  return std::visit([&](const auto& write) { return ExecuteOn(machine, write); }, operation);
}

Result<Progress> Observe(machine::Machine& machine, const Operation& operation) {
  return std::visit([&](const auto& write) { return ObserveOn(machine, write); }, operation);
}

Result<void> Commit(machine::Machine& machine, const Transaction& transaction) {
  Sections sections = transaction.sections;
  if (transaction.reboot) PROV_TRY(MarkReboot(machine, sections));
  if (transaction.ledger_before != transaction.ledger_after) {
    sections[std::string(kLedgerSection)] = LedgerJson(transaction.ledger_after);
  }
  if (!transaction.takes_back && ChangesTheNode(transaction)) {
    sections[std::string(kLastSection)] = LastJson(transaction);
  }
  PROV_TRY(machine.state.Commit(sections));
  return RemoveJournal(machine.state);
}

Result<bool> FinishRun(machine::Machine& machine, Findings& findings) {
  const std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open || open->trial) return false;
  PROV_TRY(Complete(machine, *open, findings));
  AddInfo(findings, "recovered",
          open->takes_back ? "an interrupted rollback was finished" : "an interrupted run was finished",
          std::string(kJournalFile));
  return true;
}

Result<bool> Finish(machine::Machine& machine, Findings& findings) {
  std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open || !open->trial) return FinishRun(machine, findings);
  if (open->sections.empty()) return false;
  PROV_TRY(Redo(machine, *open, findings));
  PROV_TRY(LeaveOpen(machine.state, *std::move(open)));
  AddInfo(findings, "recovered", "a trial that was interrupted was carried out", std::string(kJournalFile));
  return true;
}

Result<bool> Recover(machine::Machine& machine, Findings& findings, const Sections& back) {
  const std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open) return false;
  if (!open->trial) return FinishRun(machine, findings);
  PROV_TRY(RollBackTrial(machine, *open, back, findings));
  return true;
}

Transaction Reversed(const Transaction& transaction) {
  Transaction out{false, transaction.reboot, {}, transaction.ledger_after, transaction.ledger_before};
  for (auto operation = transaction.operations.rbegin(); operation != transaction.operations.rend(); ++operation) {
    out.operations.push_back(Inverse(*operation));
  }
  return out;
}

std::vector<Change> ChangesOf(const Transaction& transaction) {
  std::vector<Change> out;
  out.reserve(transaction.operations.size());
  for (const Operation& operation : transaction.operations) {
    const std::string& item = ItemOf(operation);
    // An item of no known kind is one of a newer program, whose journal this one does not read.
    if (const auto kind = KindOf(item)) {
      out.push_back((*kind)->ChangeOf(item, operation));
      out.back().key = item;
    }
  }
  return out;
}

Result<std::optional<Transaction>> PlanRollback(machine::StateRecord& state) {
  std::optional<Transaction> taken = PROV_TRY(LoadJournal(state));
  if (taken && taken->takes_back) return taken;
  if (!taken || (!taken->trial && !ChangesTheNode(*taken))) return BackFromLast(state);
  return Reversed(*taken);
}

Result<bool> Rollback(machine::Machine& machine, Findings& findings, const Sections& sections) {
  if (const auto open = PROV_TRY(LoadJournal(machine.state))) {
    PROV_TRY(Recover(machine, findings, sections));
    if (open->trial || open->takes_back) return true;
  }
  std::optional<Transaction> found = PROV_TRY(BackFromLast(machine.state));
  if (!found) return false;
  Transaction back = *std::move(found);
  back.takes_back = true;
  back.sections = sections;
  back.sections[std::string(kLastSection)] = std::nullopt;  // once: what lies further back is not known
  PROV_TRY(SaveJournal(machine.state, back));
  PROV_TRY(Complete(machine, std::move(back), findings));
  return true;
}

Result<bool> Confirm(machine::Machine& machine, Findings& findings, const Sections& sections) {
  PROV_TRY(Finish(machine, findings));
  std::optional<Transaction> open = PROV_TRY(LoadJournal(machine.state));
  if (!open) return false;
  open->trial = false;
  open->sections = sections;
  PROV_TRY(SaveJournal(machine.state, *open));
  PROV_TRY(Commit(machine, *open));
  return true;
}

}  // namespace prov::reconcile
