#include "provisioner/reconcile/report.h"

#include "provisioner/reconcile/kind.h"

namespace prov::reconcile {

RunReport ReportOf(Plan plan) {
  RunReport report;
  report.writes = plan.operations.size();
  report.changes = std::move(plan.changes);
  report.findings = std::move(plan.findings);
  return report;
}

Result<RunReport> ReportOf(const Run& run) {
  RunReport report;
  report.writes = run.operations.size();
  report.changes = PROV_TRY(ChangesOf(run));
  return report;
}

Result<Change> ChangeOf(const Operation& operation) {
  const std::string& item = ItemOf(operation);
  Change out = PROV_TRY(KindOf(item))->ChangeOf(item, operation);
  out.key = item;
  return out;
}

Result<std::vector<Change>> ChangesOf(const Run& run) {
  std::vector<Change> out;
  out.reserve(run.operations.size());
  for (const Operation& operation : run.operations) out.push_back(PROV_TRY(ChangeOf(operation)));
  return out;
}

}  // namespace prov::reconcile
