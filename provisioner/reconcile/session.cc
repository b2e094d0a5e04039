#include "provisioner/reconcile/session.h"

#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::reconcile {
namespace {

SessionReport ReportOf(Plan plan) {
  SessionReport report;
  report.writes = plan.operations.size();
  report.changes = std::move(plan.changes);
  report.findings = std::move(plan.findings);
  return report;
}

}  // namespace

Result<SessionReport> PlanOn(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options) {
  Plan plan = PROV_TRY(MakePlan(machine, desired, PROV_TRY(LoadLedger(machine.state)), options));
  const bool reboot = plan.reboot;
  SessionReport report = ReportOf(std::move(plan));
  report.reboot_required = reboot;
  if (PROV_TRY(LoadJournal(machine.state))) {
    AddWarning(report.findings, "open-transaction",
               "a run was interrupted or is on trial; the next apply ends it first, so its plan may differ",
               std::string(kJournalFile));
  }
  return report;
}

Result<SessionReport> ApplyOn(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options,
                              bool trial) {
  Findings findings;
  PROV_TRY(Recover(machine, findings));
  PROV_TRY(ForgetPastReboot(machine));
  Plan plan = PROV_TRY(MakePlan(machine, desired, PROV_TRY(LoadLedger(machine.state)), options));
  const bool work = plan.HasWork();
  if (work) {
    PROV_TRY(Run(machine, {trial, plan.reboot, plan.operations, plan.ledger_before, plan.ledger_after}));
  }
  const bool reboot = plan.reboot;
  SessionReport report = ReportOf(std::move(plan));
  report.trial = trial && work;
  report.reboot_required = PROV_TRY(RebootPending(machine)) || (report.trial && reboot);
  report.findings.insert(report.findings.begin(), findings.begin(), findings.end());
  return report;
}

Result<StatusReport> StatusOf(machine::Machine& machine) {
  StatusReport report;
  report.ledger = PROV_TRY(LoadLedger(machine.state));
  const bool yields = PROV_TRY(YieldsEnvironment(machine, false));
  for (Drift& one : PROV_TRY(FindDrift(machine, report.ledger, yields))) {
    (one.yields ? report.yielded : report.drift).push_back(std::move(one));
  }
  if (const auto open = PROV_TRY(LoadJournal(machine.state))) {
    report.open_transaction = true;
    report.trial = open->trial;
  }
  report.reboot_required = PROV_TRY(RebootPending(machine));
  return report;
}

}  // namespace prov::reconcile
