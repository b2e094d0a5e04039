#include "provisioner/node/removal.h"

#include <string>
#include <utility>

#include "provisioner/node/activity.h"
#include "provisioner/node/events.h"
#include "provisioner/node/records.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/service_restarts.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/transaction.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::node {

using reconcile::SessionReport;

Result<BegunRun> BeginRemoval(OpenNode& node) {
  PROV_TRY(CheckRecords(node));
  return BeginRun(node);
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

Result<std::vector<reconcile::Change>> PlanRemoval(OpenNode& given) {
  PROV_TRY(CheckRecords(given));
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  return PROV_TRY(reconcile::PlanOn(node.machine, reconcile::NothingDesired(), {})).changes;
}

Result<SessionReport> RemoveSettings(OpenNode& node, BegunRun run) {
  PROV_TRY(PrepareToPlan(node, run));
  reconcile::Sections gone;
  for (const std::string_view section :
       {kSourceSection, kSettingsSection, kBootsSection, kAppliedSection, kHoldSection, kFailureSection,
        kRestartSection, kLostSection, kRebootRequestSection, reconcile::kLastSection, reconcile::kWmcoSection}) {
    gone[std::string(section)] = std::nullopt;
  }
  const reconcile::Ledger ours = PROV_TRY(reconcile::LoadLedger(node.machine.state));
  reconcile::Plan plan = PROV_TRY(reconcile::MakePlan(node.machine, reconcile::NothingDesired(), ours, {}));
  SessionReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), gone));
  AddBeginning(std::move(run), report);
  PROV_TRY(RestartOrReportServices(node, false, report));
  ForgetActivity(node);
  return report;
}

Result<SessionReport> RemoveFromMachine(OpenNode& node, bool all) {
  SessionReport report = PROV_TRY(RemoveSettings(node, PROV_TRY(BeginRemoval(node))));
  PROV_TRY(ScrubSecretFiles(node, report.findings));
  LogRun(node.host, report, machine::Event::kRemoved);
  if (!all) return report;
  PROV_TRY(UnregisterEventSource(node));
  PROV_TRY(RemoveFromSearchPath(node));
  return report;
}

}  // namespace prov::node
