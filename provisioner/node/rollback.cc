#include "provisioner/node/rollback.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "provisioner/node/events.h"
#include "provisioner/node/service_restarts.h"
#include "provisioner/node/trial.h"
#include "provisioner/reconcile/machine_record.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::node {
namespace {

using reconcile::RunReport;

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

Result<RunReport> TakeLastRunBack(OpenNode& node, BegunRun& run) {
  if (const auto script = PROV_TRY(reconcile::AdoptScriptState(node.machine, run.findings))) {
    PROV_TRY(ReportChangedSince(node, *script, run.findings));
  }
  std::optional<reconcile::Plan> plan = PROV_TRY(reconcile::PlanBackFromLast(node.machine));
  if (!plan) {
    return Fail(Code::kTarget,
                "there is nothing to undo: no run has changed this machine since the last rollback or removal");
  }
  reconcile::Sections sections = HoldAgainst(PROV_TRY(LoadApplied(node.machine.state)));
  sections[std::string(reconcile::kLastSection)] = std::nullopt;        // the run before that one is not recorded
  PROV_TRY(AddEnd(node.machine.state, TrialEnd::kByPerson, sections));  // of approved settings that change nothing here
  return reconcile::CarryOut(node.machine, *std::move(plan), sections);
}

}  // namespace

reconcile::Sections HoldAgainst(const std::optional<Applied>& applied) {
  reconcile::Sections out{{std::string(kRestartSection), std::nullopt}};
  if (applied) out[std::string(kHoldSection)] = HoldJson(applied->digest);
  return out;
}

Result<RunReport> Rollback(OpenNode& node, BegunRun run) {
  RunReport report;
  if (run.rollback) {
    report = *std::move(run.rollback);
  } else if (run.trial) {
    report = PROV_TRY(TakeTrialBack(node, *run.trial, TrialEnd::kByPerson));
  } else {
    report = PROV_TRY(TakeLastRunBack(node, run));
  }
  AddBeginning(std::move(run), report);
  PROV_TRY(RestartOrReportServices(node, false, report));
  return report;
}

Result<RunReport> RollBackMachine(OpenNode& node) {
  RunReport report = PROV_TRY(Rollback(node, PROV_TRY(BeginRun(node))));
  LogRun(node.host, report, machine::Event::kRolledBack);
  return report;
}

}  // namespace prov::node
