#include "provisioner/reconcile/observe.h"

#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::reconcile {

Result<RunReport> PlanOn(machine::Machine& machine, const DesiredState& desired, const PlanOptions& options) {
  const MachineRecord record = PROV_TRY(LoadMachineRecord(machine));
  Plan plan = PROV_TRY(MakePlan(machine, desired, record.ledger, options));
  const bool reboot = plan.reboot;
  RunReport report = ReportOf(std::move(plan));
  report.reboot_required = reboot;
  ReportScriptRecord(record, report.findings);
  if (PROV_TRY(LoadJournal(machine.state))) {
    AddWarning(report.findings, "open-transaction",
               "a run was interrupted or is on trial; the next apply ends it first, so its plan may differ",
               std::string(kJournalFile));
  }
  return report;
}

Result<std::vector<Drift>> FindDrift(machine::Machine& machine, const Ledger& ledger) {
  std::vector<Drift> out;
  for (const auto& [item, entry] : ledger) {
    const Kind& kind = *PROV_TRY(KindOf(item));
    if (!entry.ours) continue;
    auto drift = PROV_TRY(kind.FindDrift(machine, item, entry));
    if (!drift) continue;
    drift->key = item;
    out.push_back(*std::move(drift));
  }
  return out;
}

Result<StatusReport> StatusOf(machine::Machine& machine) {
  StatusReport report;
  auto record = LoadMachineRecord(machine);
  if (record) {
    report.ledger = std::move(record->ledger);
    report.script = std::move(record->script);
  } else {
    report.ledger = PROV_TRY(LoadLedger(machine.state));  // its errors are returned
    report.damage = std::move(record).error();
  }
  const PlanOptions options{.yield_environment = PROV_TRY(YieldsEnvironment(machine, false))};
  for (Drift& one : PROV_TRY(FindDrift(machine, report.ledger))) {
    const bool yielded = PROV_TRY(KindOf(one.key))->Yields(options);
    (yielded ? report.yielded : report.drift).push_back(std::move(one));
  }
  if (const auto open = PROV_TRY(LoadJournal(machine.state))) {
    report.open_transaction = true;
    report.trial = open->trial.has_value();
  }
  report.reboot_required =
      PROV_TRY(RebootPending(machine)) || (report.script && PROV_TRY(ScriptNeedsReboot(machine, *report.script)));
  return report;
}

}  // namespace prov::reconcile
