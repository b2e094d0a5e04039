#include "provisioner/node/apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;
using reconcile::Sections;
using reconcile::SessionReport;

Result<reconcile::PlanOptions> PlanOptionsOf(OpenNode& node, const ApplyOptions& options) {
  const bool yields = PROV_TRY(reconcile::YieldsEnvironment(node.machine, !options.unattended));
  reconcile::PlanOptions out{.adopt = options.adopt, .yield_environment = yields, .preseed = options.preseed};
  if (PROV_TRY(RecordIsLost(node))) {
    out.adopt = true;
    out.adopt_reason = "taken for ours, as the record was lost";
  }
  return out;
}

// By what is ours there, whoever recorded it.
Result<reconcile::Plan> PlanFor(OpenNode& node, const DerivedSettings& derived, const reconcile::PlanOptions& options) {
  const reconcile::MachineRecord record = PROV_TRY(reconcile::LoadMachineRecord(node.machine));
  return reconcile::MakePlan(node.machine, derived.desired, record.ledger, options);
}

Result<Applied> Record(OpenNode& node, const DerivedSettings& derived) {
  const Settings& settings = derived.settings;
  Applied out{derived.digest,   settings.generation, node.host.clock().NowUnix(), NameOf(settings.config.source),
              settings.payload, settings.signer,     settings.source_digest};
  const auto before = PROV_TRY(LoadApplied(node.machine.state));
  if (!before || before->digest != out.digest) return out;
  out.since = before->since;
  if (out.payload.empty()) {  // what was kept of it
    out.payload = before->payload;
    out.signer = before->signer;
  }
  if (out.source_digest.empty()) out.source_digest = before->source_digest;
  return out;
}

// What then is what was applied, and no trial or rollback holds any more.
void AddApplied(const Applied& applied, Sections& sections) {
  RaiseFloor(applied, sections);
  sections[std::string(kAppliedSection)] = AppliedJson(applied);
  sections[std::string(kTrialSection)] = std::nullopt;
  sections[std::string(kHoldSection)] = std::nullopt;
  sections[std::string(kLostSection)] = std::nullopt;
}

// A rollback holds against `applied`.
Sections HoldAgainst(const std::optional<Applied>& applied) {
  Sections out{{std::string(kTrialSection), std::nullopt}, {std::string(kRestartSection), std::nullopt}};
  if (applied) out[std::string(kHoldSection)] = HoldJson(applied->digest);
  return out;
}

// What was taken over is then the last run. What others changed since is no part of it, so it is told here.
Result<void> BeginRollback(OpenNode& node, Findings& findings) {
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  if (open && (open->trial || open->takes_back)) return {};
  PROV_TRY(reconcile::Recover(node.machine, findings));
  const auto script = PROV_TRY(reconcile::AdoptScriptState(node.machine, findings));
  if (!script) return {};
  for (const reconcile::Drift& one : PROV_TRY(reconcile::FindDrift(node.machine, script->ledger))) {
    AddWarning(findings, "changed-since",
               one.missing ? "somebody removed it after it was set; there is nothing to undo"
                           : "somebody changed it since it was set; what they set is left as it is",
               fmt::format("{} {}", NameOf(one.kind), one.name));
  }
  return {};
}

// Running services have the environment that they were started with, until they start again: which of them are
// restarted, and which are only named. A restart that a killed run owes is remembered in the section "restart" of the
// state record, with the boot that it is owed in.
struct Restarts {
  std::string boot;  // a later one starts every service anew
  std::vector<std::string> services;
};

std::string RestartsJson(const Restarts& pending) {
  JsonWriter json;
  return json.BeginObject().Member("boot", pending.boot).Strings("services", pending.services).EndObject().Text();
}

Result<Restarts> LoadRestarts(OpenNode& node) {
  Restarts out;
  const auto section = PROV_TRY(reconcile::ReadSection(node.machine.state, kRestartSection));
  if (!section) return out;
  out.boot = PROV_TRY(PROV_TRY(section->Get("boot")).Text());
  if (out.boot != PROV_TRY(node.machine.system.BootId())) return Restarts{};
  out.services = PROV_TRY(PROV_TRY(section->Get("services")).Texts());
  return out;
}

bool ChangesService(const Change& change) {
  return change.kind == ItemKind::kServiceEnvironment &&
         (change.action == Action::kCreate || change.action == Action::kUpdate || change.action == Action::kDelete);
}

bool Holds(const Restarts& pending, const Change& change) {
  return std::ranges::find(pending.services, change.name) != pending.services.end();
}

Result<bool> IsRunning(OpenNode& node, std::string_view service) {
  const auto state = PROV_TRY(node.host.services().Query(service));
  return state && state->running;
}

void Restart(OpenNode& node, const std::string& service, Findings& findings) {
  if (const auto restarted = node.host.services().Restart(service); restarted) {
    AddInfo(findings, "service-restarted", "was restarted with its new environment", service);
  } else {
    AddWarning(findings, "service-restart",
               fmt::format("its environment is written, but it could not be restarted: {}", restarted.error().message),
               service);
  }
}

// The running services to which `plan` gives another environment, as a section of the run that does so: if that ends
// before they are restarted, the next one restarts them. None: no section.
Result<void> PlanRestarts(OpenNode& node, const reconcile::Plan& plan, Sections& sections) {
  Restarts pending = PROV_TRY(LoadRestarts(node));
  for (const Change& change : plan.changes) {
    if (!ChangesService(change) || Holds(pending, change)) continue;
    if (PROV_TRY(IsRunning(node, change.name))) pending.services.push_back(change.name);
  }
  if (pending.services.empty()) return {};
  pending.boot = PROV_TRY(node.machine.system.BootId());
  sections[std::string(kRestartSection)] = RestartsJson(pending);
  return {};
}

// After a run: with `restart`, restarts the running services whose environment it changed, else tells of them. Those
// that an earlier run of the same boot left behind are restarted in any case.
Result<void> RestartOrReportServices(OpenNode& node, bool restart, SessionReport& report) {
  Restarts pending = PROV_TRY(LoadRestarts(node));
  for (const Change& change : report.changes) {
    if (!ChangesService(change) || Holds(pending, change)) continue;
    if (!PROV_TRY(IsRunning(node, change.name))) continue;
    if (restart) {
      pending.services.push_back(change.name);
    } else {
      AddInfo(report.findings, "service-runs-on",
              "runs with the environment it started with until it starts again; --restart-services restarts it",
              change.name);
    }
  }
  while (!pending.services.empty()) {
    const std::string service = std::move(pending.services.front());
    pending.services.erase(pending.services.begin());
    if (PROV_TRY(IsRunning(node, service))) Restart(node, service, report.findings);
    // One that was restarted is not restarted again, whatever ends this run.
    if (!pending.services.empty() && !pending.boot.empty()) {
      PROV_TRY(Remember(node.machine.state, kRestartSection, RestartsJson(pending)));
    }
  }
  return Forget(node.machine.state, kRestartSection);
}

// What a run that writes nothing tells of a state that the next one repairs.
Result<void> ReportDamage(OpenNode& node, const RepairedView& view, Findings& findings) {
  for (const DamagedFile& file : view.damage()) {
    AddWarning(findings, "state-damaged", Describe(file, Moment::kFound), file.file);
  }
  return WarnOfLoss(node, findings);
}

// On a machine without a record, what is as wanted already is others'. Somebody who deleted the record has to know.
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

void AddFindings(SessionReport& report, const DerivedSettings& derived) {
  Findings all = derived.settings.findings;
  all.insert(all.end(), derived.desired.findings.begin(), derived.desired.findings.end());
  report.findings.insert(report.findings.begin(), all.begin(), all.end());
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

Result<SessionReport> ApplySettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options,
                                    Sections more) {
  Findings findings;
  PROV_TRY(RepairState(node, findings));
  PROV_TRY(WarnOfLoss(node, findings));
  PROV_TRY(reconcile::FinishRun(node.machine, findings));  // the guards go by what it leaves
  PROV_TRY(CheckSettings(node, derived, options));
  const reconcile::PlanOptions plan_options = PROV_TRY(PlanOptionsOf(node, options));
  PROV_TRY(EndOpenRun(node, findings));
  reconcile::Plan plan = PROV_TRY(PlanFor(node, derived, plan_options));
  PROV_TRY(ReportFound(node, plan, findings));
  if (options.unattended) {
    PROV_TRY(GuardAgainstRebootLoop(node.machine, plan));
  } else {
    more[std::string(kBootsSection)] = std::nullopt;
  }
  PROV_TRY(reconcile::RememberWmco(node.machine, !options.unattended, node.host.clock().NowUnix()));
  AddApplied(PROV_TRY(Record(node, derived)), more);
  if (options.restart_services) PROV_TRY(PlanRestarts(node, plan, more));
  SessionReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), false, more));
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  PROV_TRY(RestartOrReportServices(node, options.restart_services, report));
  AddFindings(report, derived);
  return report;
}

Result<SessionReport> TrySettings(OpenNode& node, const DerivedSettings& derived, const ApplyOptions& options,
                                  std::int64_t seconds) {
  Findings findings;
  PROV_TRY(RepairState(node, findings));
  PROV_TRY(WarnOfLoss(node, findings));
  PROV_TRY(reconcile::FinishRun(node.machine, findings));
  PROV_TRY(CheckSettings(node, derived, options));
  PROV_TRY(EndOpenRun(node, findings));
  const Trial trial{node.host.clock().NowUnix() + seconds, PROV_TRY(node.machine.system.BootId()),
                    PROV_TRY(Record(node, derived))};
  reconcile::Plan plan = PROV_TRY(PlanFor(node, derived, PROV_TRY(PlanOptionsOf(node, options))));
  SessionReport report = PROV_TRY(
      reconcile::CarryOut(node.machine, std::move(plan), true, {{std::string(kTrialSection), TrialJson(trial)}}));
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  PROV_TRY(RestartOrReportServices(node, options.restart_services, report));
  AddFindings(report, derived);
  return report;
}

Result<void> EndOpenRun(OpenNode& node, Findings& findings) {
  const auto trial = PROV_TRY(LoadTrial(node.machine.state));
  PROV_TRY(
      reconcile::Recover(node.machine, findings, HoldAgainst(trial ? std::optional(trial->applied) : std::nullopt)));
  return {};
}

Result<bool> TrialIsOpen(OpenNode& node) {
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  const auto trial = PROV_TRY(LoadTrial(node.machine.state));
  return open && open->trial && trial && node.host.clock().NowUnix() < trial->until &&
         trial->boot == PROV_TRY(node.machine.system.BootId());
}

Result<SessionReport> ConfirmTrial(OpenNode& node) {
  SessionReport report;
  PROV_TRY(RepairState(node, report.findings));
  PROV_TRY(reconcile::Finish(node.machine, report.findings));
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  if (!open || !open->trial) {
    return Fail(Code::kTarget,
                "no trial is open: it was confirmed or taken back already; provisioner status tells more");
  }
  report.changes = reconcile::ChangesOf(*open);
  Sections sections{{std::string(kHoldSection), std::nullopt}};
  if (const auto trial = PROV_TRY(LoadTrial(node.machine.state))) AddApplied(trial->applied, sections);
  PROV_TRY(reconcile::Confirm(node.machine, report.findings, sections));
  report.reboot_required = PROV_TRY(reconcile::RebootPending(node.machine));
  return report;
}

Result<SessionReport> Rollback(OpenNode& node) {
  SessionReport report;
  PROV_TRY(RepairState(node, report.findings));
  PROV_TRY(BeginRollback(node, report.findings));
  const auto back = PROV_TRY(reconcile::PlanRollback(node.machine.state));
  if (!back) {
    return Fail(Code::kTarget, "there is nothing to undo: no run has changed this machine since the last rollback");
  }
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  const auto trial = open && open->trial ? PROV_TRY(LoadTrial(node.machine.state)) : std::nullopt;
  const auto held = trial ? std::optional(trial->applied) : PROV_TRY(LoadApplied(node.machine.state));
  report.changes = reconcile::ChangesOf(*back);
  report.writes = back->operations.size();
  PROV_TRY(reconcile::Rollback(node.machine, report.findings, HoldAgainst(held)));
  report.reboot_required = PROV_TRY(reconcile::RebootPending(node.machine));
  PROV_TRY(RestartOrReportServices(node, false, report));
  return report;
}

Result<void> WarnOfStoredSource(OpenNode& node, const DerivedSettings& derived, Findings& findings) {
  const auto kept = PROV_TRY(reconcile::ReadSection(node.machine.state, kSettingsSection));
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
  return Fail(Code::kNotFound,
              "the record of what provisioner set on this machine was lost, so nothing was removed: run provisioner "
              "apply with the settings that are in place, which takes what equals them for ours, then remove; or keep "
              "what is set: run provisioner service uninstall, and delete the folder of this file",
              node.machine.state.folder().PathOf(machine::kStateFile));
}

Result<std::vector<Change>> PlanRemoval(OpenNode& given) {
  PROV_TRY(CheckRecords(given));
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  return PROV_TRY(reconcile::PlanOn(node.machine, reconcile::NothingDesired(), {})).changes;
}

Result<SessionReport> RemoveSettings(OpenNode& node) {
  PROV_TRY(CheckRecords(node));
  Findings findings;
  PROV_TRY(RepairState(node, findings));
  PROV_TRY(EndOpenRun(node, findings));
  Sections gone;
  for (const std::string_view section :
       {kSourceSection, kSettingsSection, kBootsSection, kAppliedSection, kTrialSection, kHoldSection, kFailureSection,
        kRestartSection, kLostSection, kRebootAskedSection}) {
    gone[std::string(section)] = std::nullopt;
  }
  SessionReport report = PROV_TRY(reconcile::ApplyOn(node.machine, reconcile::NothingDesired(), {}, false, gone));
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  PROV_TRY(RestartOrReportServices(node, false, report));
  ForgetActivity(node);
  return report;
}

}  // namespace prov::node
