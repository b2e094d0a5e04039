#include "provisioner/node/begin_run.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::node {

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
  reconcile::SessionReport back = PROV_TRY(TakeTrialBack(node, *run.trial));
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

Result<reconcile::SessionReport> TakeTrialBack(OpenNode& node, const reconcile::Transaction& open) {
  const Trial trial = PROV_TRY(ReadTrial(open));
  reconcile::Plan plan = PROV_TRY(reconcile::PlanBack(node.machine, open));
  // No reboot is needed for services that started before the trial: they never saw its values.
  plan.reboot = plan.reboot && trial.boot != PROV_TRY(node.machine.system.BootId());
  return reconcile::CarryOut(node.machine, std::move(plan), HoldAgainst(trial.applied));
}

reconcile::Sections HoldAgainst(const std::optional<Applied>& applied) {
  reconcile::Sections out{{std::string(kRestartSection), std::nullopt}};
  if (applied) out[std::string(kHoldSection)] = HoldJson(applied->digest);
  return out;
}

void AddBeginning(BegunRun run, reconcile::SessionReport& report) {
  std::ranges::move(report.findings, std::back_inserter(run.findings));
  report.findings = std::move(run.findings);
}

}  // namespace prov::node
