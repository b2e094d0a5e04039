#include "provisioner/node/removal.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/machine/image_ports.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/events.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/records.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/service_restarts.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/upgrade.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/transaction.h"
#include "provisioner/reconcile/value_parts.h"
#include "provisioner/reconcile/wmco.h"
#include "provisioner/source/source_spec.h"

namespace prov::node {

using reconcile::Action;
using reconcile::Change;
using reconcile::ItemKind;
using reconcile::RunReport;

namespace {

// Whether the folder has a file of ours. A run on a machine may write its log.
Result<bool> HasState(machine::StateFolder& folder, bool is_image) {
  for (const std::string_view name : {machine::kStateFile, machine::kStatePreviousFile, machine::kScriptStateFile,
                                      machine::kJournalFile, machine::kJournalPreviousFile}) {
    if (PROV_TRY(folder.Read(name))) return true;
  }
  return is_image && HasLog(folder);
}

// Also reports what stays.
Result<reconcile::PlanOptions> OptionsOfRemoval(OpenNode& node) {
  const auto applied = PROV_TRY(LoadApplied(node.machine.state));
  return reconcile::PlanOptions{.reports_staying = true,
                                .found = applied ? applied->found : std::vector<std::string>()};
}

bool HoldsPassword(const std::vector<reconcile::ValuePart>& parts) {
  return std::ranges::any_of(parts, &reconcile::ValuePart::HoldsPassword);
}

// The local file or folder that the node took its settings from; "": it has none, or it is a payload that was delivered
// into an image, whose files with credentials a removal deletes.
Result<std::string> LocalSource(OpenNode& node) {
  const auto stored = PROV_TRY(LoadSource(node.machine.state));
  if (!stored || PROV_TRY(node.machine.system.BootId()).empty()) return std::string();
  const std::string& path = stored->spec.source.source;
  const std::string delivered = PROV_TRY(node.host.installation().SetupScriptsFolder());
  const bool stays = path != "-" && !source::IsRemote(path) && !AsciiLower(path).starts_with(AsciiLower(delivered));
  return stays ? path : std::string();
}

// Values from before us that stay or come back are theirs, but a person who removes us may think a password gone.
void ReportPasswords(const std::string& local_source, RunReport& report) {
  report.removal = true;
  const auto had = [](const Change& change) { return HoldsPassword(change.was); };
  if (!local_source.empty() && std::ranges::any_of(report.changes, had)) {
    AddWarning(
        report.findings, "password-stays",
        "the source of the settings holds the user name or password of the proxy, and stays; delete it if nothing "
        "needs it",
        local_source);
  }
  for (const Change& change : report.changes) {
    if (!HoldsPassword(change.is)) continue;
    AddWarning(report.findings, "password-stays",
               "holds the user name or password of a proxy that provisioner did not set, and stays; remove it by hand "
               "if nothing needs it",
               fmt::format("{} {}", NameOf(change.kind), change.name));
  }
}

Change Gone(ItemKind kind, std::string_view prefix, std::string name, std::string reason = {}) {
  std::string key = reconcile::ItemKey(prefix, name);
  return {kind, Action::kDelete, std::move(name), {}, {}, std::move(reason), std::move(key)};
}

}  // namespace

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

Result<void> AddTraces(OpenNode& node, RunReport& report) {
  std::vector<Change> out;
  if (PROV_TRY(node.host.services().Query(kServiceName))) {
    out.push_back(Gone(ItemKind::kService, reconcile::kBootServiceItem, std::string(kServiceName)));
  }
  if (PROV_TRY(node.machine.registry.KeyExists(kEventSourceKey))) {
    out.push_back(EventSourceChange(Action::kDelete));
  }
  if (PROV_TRY(IsInSearchPath(node))) {
    out.push_back(SearchPathChange(Action::kUpdate, "without the folder of the program"));
  }
  const bool is_image = PROV_TRY(node.machine.system.BootId()).empty();
  const bool has_payload = PROV_TRY(LoadImageRecord(node.machine.state)).has_value();
  const auto program = node.host.installation().ReadProgramStatus();
  if (program && program->is_installed) {
    out.push_back(Gone(ItemKind::kFile, reconcile::kFileItem, PROV_TRY(node.host.installation().ProgramPath()),
                       "with its folder; a program that still runs goes at the next boot"));
  }
  if (PROV_TRY(HasState(node.machine.state.folder(), is_image))) {
    const std::string path = is_image ? fmt::format("{}/{}", machine::kImageStateFolder, machine::kStateFile)
                                      : node.machine.state.folder().PathOf(machine::kStateFile);
    out.push_back(Gone(ItemKind::kFile, reconcile::kFileItem, path, "with its folder"));
  }
  if (has_payload && !is_image) {
    AddWarning(
        report.findings, "payload-stays",
        "the payload that was put into the image stays there, with its line in SetupComplete.cmd: it would apply "
        "the settings again if Windows setup ran again; delete both if that may happen",
        PROV_TRY(node.host.installation().SetupScriptsFolder()) + R"(\Provisioner)");
  }
  report.writes += out.size();
  std::ranges::move(out, std::back_inserter(report.changes));
  return {};
}

Result<RunReport> PlanRemoval(OpenNode& given, bool all) {
  PROV_TRY(CheckRecords(given));
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  RunReport report =
      PROV_TRY(reconcile::PlanOn(node.machine, reconcile::NothingDesired(), PROV_TRY(OptionsOfRemoval(node))));
  ReportPasswords(PROV_TRY(LocalSource(node)), report);
  if (all) PROV_TRY(AddTraces(node, report));
  return report;
}

Result<RunReport> RemoveSettings(OpenNode& node, BegunRun run) {
  PROV_TRY(PrepareToPlan(node, run));
  reconcile::Sections gone;
  for (const std::string_view section : {kSourceSection, kSettingsSection, kBootsSection, kAppliedSection, kHoldSection,
                                         kFailureSection, kApprovalSection, kRestartSection, kLostSection,
                                         kRebootRequestSection, reconcile::kLastSection, reconcile::kWmcoSection}) {
    gone[std::string(section)] = std::nullopt;
  }
  const std::string local_source = PROV_TRY(LocalSource(node));
  const reconcile::Ledger ours = PROV_TRY(reconcile::LoadLedger(node.machine.state));
  if (!ours.empty()) gone[std::string(kRemovedSection)] = RemovedJson(node.host.clock().NowUnix());
  reconcile::Plan plan =
      PROV_TRY(reconcile::MakePlan(node.machine, reconcile::NothingDesired(), ours, PROV_TRY(OptionsOfRemoval(node))));
  RunReport report = PROV_TRY(reconcile::CarryOut(node.machine, std::move(plan), gone));
  ReportPasswords(local_source, report);
  AddBeginning(std::move(run), report);
  PROV_TRY(RestartOrReportServices(node, false, report));
  ForgetActivity(node);
  return report;
}

// Without the record nobody could take away what is left, nor give back what was there before it.
Result<bool> KeepRecord(OpenNode& node, RunReport& report) {
  const reconcile::Ledger left = PROV_TRY(reconcile::LoadLedger(node.machine.state));
  if (left.empty()) return false;
  AddWarning(
      report.findings, "removal-incomplete",
      fmt::format("{} item{} could not be removed, so the program, its service and the record stay; mend what the "
                  "other findings say, and run provisioner remove --all again",
                  left.size(), left.size() == 1 ? "" : "s"),
      left.begin()->first);
  return true;
}

Result<RunReport> RemoveFromMachine(OpenNode& node, bool all) {
  BegunRun run = PROV_TRY(BeginRemoval(node));
  RunReport traces;
  if (all) PROV_TRY(AddTraces(node, traces));  // before the first write, as it can fail
  RunReport report = PROV_TRY(RemoveSettings(node, std::move(run)));
  PROV_TRY(ScrubSecretFiles(node, report.findings));
  LogRun(node.host, report, machine::Event::kRemoved);
  if (!all || PROV_TRY(KeepRecord(node, report))) return report;
  report.writes += traces.writes;
  std::ranges::move(traces.changes, std::back_inserter(report.changes));
  std::ranges::move(traces.findings, std::back_inserter(report.findings));
  PROV_TRY(UnregisterEventSource(node));
  PROV_TRY(RemoveFromSearchPath(node));
  return report;
}

}  // namespace prov::node
