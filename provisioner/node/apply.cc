#include "provisioner/node/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "provisioner/node/activity.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/service_restarts.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::Sections;
using reconcile::SessionReport;

Result<reconcile::PlanOptions> PlanOptionsOf(OpenNode& node, const ApplyOptions& options) {
  const bool yields = PROV_TRY(reconcile::YieldsEnvironment(node.machine, !options.unattended));
  reconcile::PlanOptions out{.adopt = options.adopt, .yield_environment = yields};
  if (PROV_TRY(RecordIsLost(node))) {
    out.adopt = true;
    out.adopt_reason = "adopted, because the record was lost";
  }
  return out;
}

Result<Applied> Record(OpenNode& node, const DerivedSettings& derived) {
  const Settings& settings = derived.settings;
  Applied out{derived.digest,   settings.generation, node.host.clock().NowUnix(), NameOf(settings.config.source),
              settings.payload, settings.signer,     settings.source_digest};
  const auto before = PROV_TRY(LoadApplied(node.machine.state));
  if (!before || before->digest != out.digest) return out;
  out.since = before->since;
  if (out.payload.empty()) {  // kept settings: the payload is unchanged
    out.payload = before->payload;
    out.signer = before->signer;
  }
  if (out.source_digest.empty()) out.source_digest = before->source_digest;
  return out;
}

// Records `applied` as what was applied last. This ends a rollback's hold.
void AddApplied(const Applied& applied, Sections& sections) {
  RaiseMinimum(applied, sections);
  sections[std::string(kAppliedSection)] = AppliedJson(applied);
  sections[std::string(kHoldSection)] = std::nullopt;
  sections[std::string(kLostSection)] = std::nullopt;
}

// Makes a rollback hold against `applied`.
Sections HoldAgainst(const std::optional<Applied>& applied) {
  Sections out{{std::string(kRestartSection), std::nullopt}};
  if (applied) out[std::string(kHoldSection)] = HoldJson(applied->digest);
  return out;
}

// Reports values that others changed after a payload's script ran. The script's run does not contain them, so the
// rollback itself can't report them.
Result<void> ReportChangedSince(OpenNode& node, const reconcile::ScriptState& script, Findings& findings) {
  for (const reconcile::Drift& one : PROV_TRY(reconcile::FindDrift(node.machine, script.ledger))) {
    AddWarning(findings, "changed-since",
               one.missing ? "another program removed it after it was set; nothing is left to undo"
                           : "another program changed it since it was set; its value is kept",
               fmt::format("{} {}", NameOf(one.kind), one.name));
  }
  return {};
}

Result<SessionReport> TakeTrialBack(OpenNode& node, const reconcile::Transaction& open) {
  const Trial trial = PROV_TRY(ReadTrial(open));
  reconcile::Plan plan = PROV_TRY(reconcile::PlanBack(node.machine, open));
  // No reboot is needed for services that started before the trial: they never saw its values.
  plan.reboot = plan.reboot && trial.boot != PROV_TRY(node.machine.system.BootId());
  return reconcile::CarryOut(node.machine, std::move(plan), HoldAgainst(trial.applied));
}

// Reports damage that a command that only reads leaves to the next one that writes.
Result<void> ReportDamage(OpenNode& node, const RepairedView& view, Findings& findings) {
  for (const DamagedFile& file : view.damage()) {
    AddWarning(findings, "state-damaged", Describe(file, Moment::kFound), file.file);
  }
  return WarnOfLoss(node, findings);
}

// Without a record, values that equal the wanted ones count as set by others. Say so, in case the record was deleted.
Result<void> ReportFound(OpenNode& node, const reconcile::Plan& plan, Findings& findings) {
  const auto found = std::ranges::count(plan.changes, Action::kNone, &Change::action);
  if (found == 0 || !plan.ledger_before.empty() || !PROV_TRY(HasNoRecord(node.machine.state.folder()))) return {};
  AddInfo(findings, "already-there",
          fmt::format("{} item{} already as wanted, and no record says that provisioner set {}: provisioner remove "
                      "leaves such items in place",
                      found, found == 1 ? " was" : "s were", found == 1 ? "it" : "them"),
          node.machine.state.folder().PathOf(machine::kStateFile));
  return {};
}

void PrependFindings(SessionReport& report, Findings findings) {
  findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  report.findings = std::move(findings);
}

void AddFindings(SessionReport& report, const DerivedSettings& derived) {
  Findings all = derived.settings.findings;
  all.insert(all.end(), derived.desired.findings.begin(), derived.desired.findings.end());
  report.findings.insert(report.findings.begin(), all.begin(), all.end());
}

Result<reconcile::Plan> PrepareAndPlan(OpenNode& node, BegunRun& run, const DerivedSettings& derived,
                                       const ApplyOptions& options) {
  PROV_TRY(WarnOfLoss(node, run.findings));
  const reconcile::PlanOptions plan_options =
      PROV_TRY(PlanOptionsOf(node, options));  // before PrepareToPlan writes a record
  PROV_TRY(PrepareToPlan(node, run));
  const reconcile::Ledger ours = PROV_TRY(reconcile::LoadLedger(node.machine.state));
  return reconcile::MakePlan(node.machine, derived.desired, ours, plan_options);
}

}  // namespace

Result<void> CheckSettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options) {
  if (!options.allow_downgrade) PROV_TRY(GuardAgainstDowngrade(node.machine.state, derived.settings));
  if (options.refuse_empty) PROV_TRY(GuardAgainstEmpty(node.machine, derived));
  if (options.allow_shrink) return {};
  return GuardAgainstShrinking(node.machine, derived.settings.config, derived.desired);
}

Result<SessionReport> PlanSettings(OpenNode& given, const DerivedSettings& derived, const ApplyOptions& options) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  PROV_TRY(CheckSettings(node, derived, options));
  SessionReport report =
      PROV_TRY(reconcile::PlanOn(node.machine, derived.desired, PROV_TRY(PlanOptionsOf(node, options))));
  PROV_TRY(ReportDamage(node, view, report.findings));
  AddFindings(report, derived);
  return report;
}

Result<BegunRun> BeginRun(OpenNode& node) {
  BegunRun out;
  PROV_TRY(RepairState(node, out.findings));
  reconcile::Unfinished open = PROV_TRY(reconcile::Finish(node.machine, out.findings));
  out.trial = std::move(open.trial);
  out.rollback = std::move(open.rollback);
  return out;
}

Result<void> EndTrial(OpenNode& node, BegunRun& run) {
  if (!run.trial) return {};
  SessionReport back = PROV_TRY(TakeTrialBack(node, *run.trial));
  std::ranges::move(back.findings, std::back_inserter(run.findings));
  AddInfo(run.findings, "recovered", "a trial that was not confirmed was rolled back",
          std::string(machine::kJournalFile));
  run.trial.reset();
  return {};
}

Result<void> PrepareToPlan(OpenNode& node, BegunRun& run) {
  PROV_TRY(EndTrial(node, run));
  PROV_TRY(reconcile::AdoptScriptState(node.machine, run.findings));
  return {};
}

Result<SessionReport> ApplySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                    const ApplyOptions& options, Sections more) {
  PROV_TRY(CheckSettings(node, derived, options));
  reconcile::Plan plan = PROV_TRY(PrepareAndPlan(node, run, derived, options));
  PROV_TRY(ReportFound(node, plan, run.findings));
  if (options.unattended) {
    PROV_TRY(GuardAgainstRebootLoop(node.machine, plan));
  } else {
    more[std::string(kBootsSection)] = std::nullopt;
  }
  PROV_TRY(reconcile::RememberWmco(node.machine, !options.unattended, node.host.clock().NowUnix()));
  AddApplied(PROV_TRY(Record(node, derived)), more);
  if (options.restart_services) PROV_TRY(PlanRestarts(node, plan, more));
  SessionReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), more));
  PrependFindings(report, std::move(run.findings));
  PROV_TRY(RestartOrReportServices(node, options.restart_services, report));
  AddFindings(report, derived);
  return report;
}

Result<SessionReport> TrySettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options,
                                  std::int64_t seconds) {
  BegunRun run = PROV_TRY(BeginRun(node));
  PROV_TRY(CheckSettings(node, derived, options));
  reconcile::Plan plan = PROV_TRY(PrepareAndPlan(node, run, derived, options));
  const Trial trial{node.host.clock().NowUnix() + seconds, PROV_TRY(node.machine.system.BootId()),
                    PROV_TRY(Record(node, derived))};
  SessionReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), {}, TrialJson(trial)));
  PrependFindings(report, std::move(run.findings));
  PROV_TRY(RestartOrReportServices(node, options.restart_services, report));
  AddFindings(report, derived);
  return report;
}

Result<bool> IsWaiting(OpenNode& node, const reconcile::Transaction& trial) {
  const Trial open = PROV_TRY(ReadTrial(trial));
  return node.host.clock().NowUnix() < open.until && open.boot == PROV_TRY(node.machine.system.BootId());
}

Result<SessionReport> ConfirmTrial(OpenNode& node) {
  BegunRun run = PROV_TRY(BeginRun(node));
  if (!run.trial) {
    return Fail(Code::kTarget, "no trial is open: it was confirmed or taken back already; see provisioner status");
  }
  Sections sections;
  AddApplied(PROV_TRY(ReadTrial(*run.trial)).applied, sections);
  SessionReport report = PROV_TRY(reconcile::Confirm(node.machine, *std::move(run.trial), sections));
  PrependFindings(report, std::move(run.findings));
  return report;
}

Result<SessionReport> Rollback(OpenNode& node) {
  BegunRun run = PROV_TRY(BeginRun(node));
  SessionReport report;
  if (run.rollback) {
    report = *std::move(run.rollback);
  } else if (run.trial) {
    report = PROV_TRY(TakeTrialBack(node, *run.trial));
  } else {
    if (const auto script = PROV_TRY(reconcile::AdoptScriptState(node.machine, run.findings))) {
      PROV_TRY(ReportChangedSince(node, *script, run.findings));
    }
    std::optional<reconcile::Plan> plan = PROV_TRY(reconcile::PlanBackFromLast(node.machine));
    if (!plan) {
      return Fail(Code::kTarget, "there is nothing to undo: no run has changed this machine since the last rollback");
    }
    Sections sections = HoldAgainst(PROV_TRY(LoadApplied(node.machine.state)));
    sections[std::string(reconcile::kLastSection)] = std::nullopt;  // the run before that one is not recorded
    report = PROV_TRY(reconcile::CarryOut(node.machine, *std::move(plan), sections));
  }
  PrependFindings(report, std::move(run.findings));
  PROV_TRY(RestartOrReportServices(node, false, report));
  return report;
}

Result<void> WarnOfStoredSource(OpenNode& node, const DerivedSettings& derived, Findings& findings) {
  const auto kept = PROV_TRY(node.machine.state.Read(kSettingsSection));
  if (!kept || kept->Json() == derived.json) return {};
  AddWarning(findings, "stored-source",
             "reconcile has another source stored on this machine and will apply that again; provisioner service "
             "install --source replaces it",
             std::string(machine::kStateFile));
  return {};
}

Result<void> CheckRecords(OpenNode& given) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  PROV_TRY(reconcile::LoadJournal(node.machine.state));
  const reconcile::MachineRecord record = PROV_TRY(reconcile::LoadMachineRecord(node.machine));
  if (!record.ledger.empty() || !PROV_TRY(RecordIsLost(node))) return {};
  return Fail(
      Code::kNotFound,
      "the record of what provisioner set on this machine was lost, so nothing was removed: run provisioner "
      "apply with the present settings, which adopts equal values, then provisioner remove; or keep the settings: "
      "run provisioner service uninstall, and delete the folder of this file",
      node.machine.state.folder().PathOf(machine::kStateFile));
}

Result<std::vector<Change>> PlanRemoval(OpenNode& given) {
  PROV_TRY(CheckRecords(given));
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  return PROV_TRY(reconcile::PlanOn(node.machine, reconcile::NothingDesired(), {})).changes;
}

Result<std::vector<Change>> PlanRollback(OpenNode& given) {
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  if (open && open->trial) return PROV_TRY(reconcile::PlanBack(node.machine, *open)).changes;
  if (open) return reconcile::ChangesOf(*open);  // it will be finished first
  auto plan = PROV_TRY(reconcile::PlanBackFromLast(node.machine));
  return plan ? std::move(plan->changes) : std::vector<Change>();
}

Result<SessionReport> RemoveSettings(OpenNode& node) {
  PROV_TRY(CheckRecords(node));
  BegunRun run = PROV_TRY(BeginRun(node));
  PROV_TRY(PrepareToPlan(node, run));
  Sections gone;
  for (const std::string_view section : {kSourceSection, kSettingsSection, kBootsSection, kAppliedSection, kHoldSection,
                                         kFailureSection, kRestartSection, kLostSection, kRebootRequestSection}) {
    gone[std::string(section)] = std::nullopt;
  }
  const reconcile::Ledger ours = PROV_TRY(reconcile::LoadLedger(node.machine.state));
  reconcile::Plan plan = PROV_TRY(reconcile::MakePlan(node.machine, reconcile::NothingDesired(), ours, {}));
  SessionReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), gone));
  PrependFindings(report, std::move(run.findings));
  PROV_TRY(RestartOrReportServices(node, false, report));
  ForgetActivity(node);
  return report;
}

}  // namespace prov::node
