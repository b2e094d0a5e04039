#include "provisioner/node/trial.h"

#include <utility>

#include "provisioner/reconcile/transaction.h"

namespace prov::node {

using reconcile::SessionReport;

Result<SessionReport> TrySettings(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                  const ApplyOptions& options, std::int64_t seconds) {
  reconcile::Plan plan = PROV_TRY(PlanRun(node, run, derived, options));
  const Trial trial{node.host.clock().NowUnix() + seconds, PROV_TRY(node.machine.system.BootId()),
                    PROV_TRY(AppliedFrom(node, derived))};
  SessionReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), {}, TrialJson(trial)));
  PROV_TRY(EndRun(node, std::move(run), derived, options, report));
  return report;
}

Result<SessionReport> ConfirmTrial(OpenNode& node, BegunRun run) {
  if (!run.trial) {
    return Fail(Code::kTarget, "no trial is open: it was confirmed or taken back already; see provisioner status");
  }
  reconcile::Sections sections;
  AddApplied(PROV_TRY(ReadTrial(*run.trial)).applied, sections);
  SessionReport report = PROV_TRY(reconcile::Confirm(node.machine, *std::move(run.trial), sections));
  AddBeginning(std::move(run), report);
  return report;
}

Result<bool> IsWaiting(OpenNode& node, const reconcile::Transaction& trial) {
  const Trial open = PROV_TRY(ReadTrial(trial));
  return node.host.clock().NowUnix() < open.until && open.boot == PROV_TRY(node.machine.system.BootId());
}

}  // namespace prov::node
