#include "provisioner/node/apply.h"

#include <fmt/format.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/node/generation_guard.h"
#include "provisioner/node/loop_guard.h"
#include "provisioner/node/shrink_guard.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {
namespace {

using reconcile::Action;
using reconcile::Change;
using reconcile::DesiredState;
using reconcile::ItemKind;
using reconcile::SessionReport;

Result<DesiredState> Desire(Node& node, const Settings& settings, const ApplyOptions& options) {
  if (!options.allow_downgrade) PROV_TRY(GuardAgainstDowngrade(node.machine.state, settings));
  DesiredState desired = PROV_TRY(reconcile::MakeDesiredState(settings.config, settings.options));
  if (!options.allow_shrink) PROV_TRY(GuardAgainstShrinking(node.machine, settings.config, desired));
  return desired;
}

Result<reconcile::PlanOptions> PlanOptionsOf(Node& node, const ApplyOptions& options) {
  const bool yields = PROV_TRY(reconcile::YieldsEnvironment(node.machine, !options.unattended));
  return reconcile::PlanOptions{.adopt = options.adopt, .yield_environment = yields, .preseed = options.preseed};
}

Result<Applied> Record(Node& node, const Settings& settings, const DesiredState& desired) {
  Applied out{ToHex(Sha256(SettingsJson(settings, desired))),
              settings.generation,
              node.host.clock().NowUnix(),
              NameOf(settings.config.source),
              settings.payload,
              settings.signer};
  const auto before = PROV_TRY(LoadApplied(node.machine.state));
  if (!before || before->digest != out.digest) return out;
  out.since = before->since;
  if (out.payload.empty()) {  // what was kept of it
    out.payload = before->payload;
    out.signer = before->signer;
  }
  return out;
}

// What was taken over is then the last run. What others changed since is no part of it, so it is told here.
Result<void> BeginTakingBack(Node& node, Findings& findings) {
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  if (open && open->trial) return {};
  PROV_TRY(reconcile::Recover(node.machine, findings));
  const auto script = PROV_TRY(reconcile::TakeOverScriptState(node.machine, findings));
  if (!script) return {};
  for (const reconcile::Drift& one : PROV_TRY(reconcile::FindDrift(node.machine, script->ledger))) {
    AddWarning(findings, "changed-since",
               one.missing ? "somebody removed it since it was set; nothing to take back"
                           : "somebody changed it since it was set; what they set is left as it is",
               fmt::format("{} {}", NameOf(one.kind), one.name));
  }
  return {};
}

bool IsChange(const Change& change) {
  return change.action == Action::kCreate || change.action == Action::kUpdate || change.action == Action::kDelete;
}

// A running service has the environment it started with, until it starts again.
Result<void> TellServices(Node& node, const ApplyOptions& options, SessionReport& report) {
  for (const Change& change : report.changes) {
    if (change.kind != ItemKind::kServiceEnvironment || !IsChange(change)) continue;
    const auto state = PROV_TRY(node.host.services().Query(change.name));
    if (!state || !state->running) continue;
    if (!options.restart_services) {
      AddInfo(report.findings, "service-runs-on",
              "runs with the environment it started with until it starts again; --restart-services restarts it",
              change.name);
      continue;
    }
    if (const auto restarted = node.host.services().Restart(change.name); restarted) {
      AddInfo(report.findings, "service-restarted", "was restarted with its new environment", change.name);
    } else {
      AddWarning(
          report.findings, "service-restart",
          fmt::format("its environment is written, but it could not be restarted: {}", restarted.error().message),
          change.name);
    }
  }
  return {};
}

void AddFindings(SessionReport& report, const Settings& settings, const DesiredState& desired) {
  Findings all = settings.findings;
  all.insert(all.end(), desired.findings.begin(), desired.findings.end());
  report.findings.insert(report.findings.begin(), all.begin(), all.end());
}

}  // namespace

Result<void> CheckSettings(Node& node, const Settings& settings, const ApplyOptions& options) {
  PROV_TRY(Desire(node, settings, options));
  return {};
}

Result<SessionReport> PlanSettings(Node& node, const Settings& settings, const ApplyOptions& options) {
  const DesiredState desired = PROV_TRY(Desire(node, settings, options));
  SessionReport report = PROV_TRY(reconcile::PlanOn(node.machine, desired, PROV_TRY(PlanOptionsOf(node, options))));
  AddFindings(report, settings, desired);
  return report;
}

Result<SessionReport> ApplySettings(Node& node, const Settings& settings, const ApplyOptions& options) {
  const DesiredState desired = PROV_TRY(Desire(node, settings, options));
  const reconcile::PlanOptions plan_options = PROV_TRY(PlanOptionsOf(node, options));
  if (options.unattended) {
    PROV_TRY(GuardAgainstRebootLoop(node.machine, PROV_TRY(reconcile::PlanOn(node.machine, desired, plan_options))));
  } else {
    PROV_TRY(Forget(node.machine.state, kBootsFile));
  }
  PROV_TRY(reconcile::RememberWmco(node.machine, !options.unattended));
  SessionReport report = PROV_TRY(reconcile::ApplyOn(node.machine, desired, plan_options, false));
  const Applied applied = PROV_TRY(Record(node, settings, desired));
  PROV_TRY(RaiseFloor(node.machine.state, applied));
  PROV_TRY(SaveApplied(node.machine.state, applied));
  PROV_TRY(Forget(node.machine.state, kTrialFile));
  PROV_TRY(Forget(node.machine.state, kHoldFile));
  PROV_TRY(TellServices(node, options, report));
  AddFindings(report, settings, desired);
  return report;
}

Result<SessionReport> TrySettings(Node& node, const Settings& settings, const ApplyOptions& options,
                                  std::int64_t seconds) {
  const DesiredState desired = PROV_TRY(Desire(node, settings, options));
  const Trial trial{node.host.clock().NowUnix() + seconds, PROV_TRY(node.machine.system.BootId()),
                    PROV_TRY(Record(node, settings, desired))};
  // An earlier trial ends here, before its record is replaced by the new one.
  Findings findings;
  PROV_TRY(reconcile::Recover(node.machine, findings));
  PROV_TRY(reconcile::TakeOverScriptState(node.machine, findings));
  PROV_TRY(SaveTrial(node.machine.state, trial));
  SessionReport report =
      PROV_TRY(reconcile::ApplyOn(node.machine, desired, PROV_TRY(PlanOptionsOf(node, options)), true));
  if (!report.trial) PROV_TRY(Forget(node.machine.state, kTrialFile));
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  PROV_TRY(TellServices(node, options, report));
  AddFindings(report, settings, desired);
  return report;
}

Result<bool> TrialIsOpen(Node& node) {
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  const auto trial = PROV_TRY(LoadTrial(node.machine.state));
  return open && open->trial && trial && node.host.clock().NowUnix() < trial->until &&
         trial->boot == PROV_TRY(node.machine.system.BootId());
}

Result<SessionReport> ConfirmTrial(Node& node) {
  const auto open = PROV_TRY(reconcile::LoadJournal(node.machine.state));
  if (!open || !open->trial) {
    return Fail(Code::kTarget,
                "no trial is open: it was confirmed or taken back already; provisioner status tells more");
  }
  SessionReport report;
  report.changes = reconcile::ChangesOf(*open);
  PROV_TRY(reconcile::Confirm(node.machine));
  if (const auto trial = PROV_TRY(LoadTrial(node.machine.state))) {
    PROV_TRY(RaiseFloor(node.machine.state, trial->applied));
    PROV_TRY(SaveApplied(node.machine.state, trial->applied));
    PROV_TRY(Forget(node.machine.state, kTrialFile));
  }
  PROV_TRY(Forget(node.machine.state, kHoldFile));
  report.reboot_required = PROV_TRY(reconcile::RebootPending(node.machine));
  return report;
}

Result<SessionReport> TakeBack(Node& node) {
  SessionReport report;
  PROV_TRY(BeginTakingBack(node, report.findings));
  const auto back = PROV_TRY(reconcile::WhatRollbackWouldTakeBack(node.machine.state));
  if (!back) {
    return Fail(Code::kTarget, "there is nothing to take back: no run changed this machine since the last rollback");
  }
  // The hold comes first: whatever ends this run, the next reconcile must not bring the settings back.
  const auto trial = PROV_TRY(LoadTrial(node.machine.state));
  const auto applied = PROV_TRY(LoadApplied(node.machine.state));
  if (trial) {
    PROV_TRY(SaveHold(node.machine.state, trial->applied.digest));
  } else if (applied) {
    PROV_TRY(SaveHold(node.machine.state, applied->digest));
  }
  report.changes = reconcile::ChangesOf(*back);
  report.writes = back->operations.size();
  PROV_TRY(reconcile::Rollback(node.machine, report.findings));
  PROV_TRY(Forget(node.machine.state, kTrialFile));
  report.reboot_required = PROV_TRY(reconcile::RebootPending(node.machine));
  PROV_TRY(TellServices(node, {}, report));
  return report;
}

Result<void> WarnOfStoredSource(Node& node, const Settings& settings, Findings& findings) {
  const auto kept = PROV_TRY(node.machine.state.Read(kSettingsFile));
  if (!kept) return {};
  const DesiredState desired = PROV_TRY(reconcile::MakeDesiredState(settings.config, settings.options));
  if (*kept == SettingsJson(settings, desired)) return {};
  AddWarning(findings, "stored-source",
             "reconcile has another source stored on this machine and will apply that again; provisioner service "
             "install --source replaces it",
             std::string(kSourceFile));
  return {};
}

Result<void> CheckRecords(Node& node) {
  PROV_TRY(reconcile::LoadJournal(node.machine.state));
  PROV_TRY(reconcile::LoadMachineRecord(node.machine));
  return {};
}

Result<SessionReport> RemoveSettings(Node& node) {
  PROV_TRY(CheckRecords(node));
  // The source first: a run that is cut short must not be followed by a reconcile that applies again.
  for (const std::string_view file : {kSourceFile, kSettingsFile, kBootsFile}) {
    PROV_TRY(Forget(node.machine.state, file));
  }
  SessionReport report = PROV_TRY(reconcile::ApplyOn(node.machine, reconcile::NothingDesired(), {}, false));
  for (const std::string_view file : {kAppliedFile, kTrialFile, kHoldFile, kFailureFile}) {
    PROV_TRY(Forget(node.machine.state, file));
  }
  PROV_TRY(TellServices(node, {}, report));
  return report;
}

}  // namespace prov::node
