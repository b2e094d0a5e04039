#include "provisioner/node/begin_run.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "provisioner/node/events.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::node {

Result<BegunRun> BeginRun(OpenNode& node) {
  BegunRun out;
  PROV_TRY(RepairState(node, out.findings));
  Findings finished;
  reconcile::Unfinished open = PROV_TRY(reconcile::Finish(node.machine, finished));
  for (const Finding& f : finished) {  // the run that begins logs the warnings
    if (f.severity == Severity::kInfo) LogEvent(node.host, machine::Event::kRecovered, f.severity, f.message);
  }
  std::ranges::move(finished, std::back_inserter(out.findings));
  out.trial = std::move(open.trial);
  out.rollback = std::move(open.rollback);
  return out;
}

Result<void> PrepareToPlan(OpenNode& node, BegunRun& run) {
  PROV_TRY(EndTrial(node, run));
  PROV_TRY(reconcile::AdoptScriptState(node.machine, run.findings));
  return {};
}

void AddBeginning(BegunRun run, reconcile::RunReport& report) {
  std::ranges::move(report.findings, std::back_inserter(run.findings));
  report.findings = std::move(run.findings);
}

}  // namespace prov::node
