#include "provisioner/node/first_boot.h"

#include <utility>

#include "provisioner/node/activity.h"
#include "provisioner/node/pin.h"
#include "provisioner/node/scrub.h"
#include "provisioner/node/state_repair.h"

namespace prov::node {
namespace {

Result<void> CheckFollowed(OpenNode& node, const Delivery& delivery) {
  return delivery.follow ? CheckSourceFiles(node.host.installation(), delivery.spec) : Result<void>();
}

// Adds the section that says that the boot service should run from now on. It is stored together with the source.
Result<void> AddService(OpenNode& node, const Delivery& delivery, reconcile::Sections& sections) {
  ServiceRecord service = PROV_TRY(LoadService(node.machine.state)).value_or(ServiceRecord());
  if (delivery.interval_seconds) service.interval_seconds = *delivery.interval_seconds;
  if (delivery.reporting) service.reporting = *delivery.reporting;
  sections[std::string(kServiceSection)] = ServiceJson(service);
  return {};
}

}  // namespace

reconcile::Sections SourceRecords(const DerivedSettings& derived, const Delivery& delivery, bool adopt) {
  reconcile::Sections out{{std::string(kSettingsSection), derived.json},
                          {std::string(kSourceSection), SourceJson({delivery.spec, delivery.follow, adopt})}};
  RememberSecretFiles(delivery.secret_files, out);
  return out;
}

Result<bool> FollowLater(OpenNode& node, const Delivery& delivery) {
  const auto stored = PROV_TRY(LoadSource(node.machine.state));
  if (stored && stored->spec != delivery.spec) return false;
  PROV_TRY(CheckFollowed(node, delivery));
  reconcile::Sections sections;
  PROV_TRY(AddService(node, delivery, sections));
  if (!stored) {
    sections[std::string(kSourceSection)] = SourceJson({delivery.spec, delivery.follow, true});
    PROV_TRY(AddLoss(node, sections));
  }
  PROV_TRY(node.machine.state.Commit(sections));
  PROV_TRY(InstallProgramAndService(node, delivery.allow_downgrade));
  return true;
}

// Installs the service before the settings, so that it completes an interrupted boot. If the service can't be
// installed, the settings are applied all the same: without them the node reaches nothing. Pins what was given before
// both, so that no round takes a source without its signature.
Result<reconcile::RunReport> FirstBoot(OpenNode& node, BegunRun run, const DerivedSettings& derived,
                                       const Delivery& delivery, const ApplyOptions& options) {
  ApplyOptions adopting = options;
  adopting.adopt = adopting.leaves_out_refused = true;
  PROV_TRY(CheckSettings(node, derived, adopting));
  PROV_TRY(CheckFollowed(node, delivery));
  PROV_TRY(CheckProgram(node.host, delivery.allow_downgrade));
  PROV_TRY(PrepareToPlan(node, run));
  PROV_TRY(PinGiven(node.host, delivery.pin, run.findings));
  reconcile::Sections begun = SourceRecords(derived, delivery, true);
  PROV_TRY(AddService(node, delivery, begun));
  PROV_TRY(AddLoss(node, begun));
  PROV_TRY(node.machine.state.Commit(begun));
  const Result<ProgramReport> installed = InstallProgramAndService(node, delivery.allow_downgrade);
  reconcile::Sections done = SourceRecords(derived, delivery, false);
  if (installed) done[std::string(kFailureSection)] = std::nullopt;
  reconcile::RunReport report = PROV_TRY(ApplySettings(node, std::move(run), derived, adopting, std::move(done)));
  if (!installed) return std::unexpected(installed.error());
  AddUpgrade(*installed, report.findings);
  PROV_TRY(ScrubSecretFiles(node, report.findings));
  NoteRound(node, {delivery.spec, delivery.follow}, delivery.follow, nullptr);
  return report;
}

Result<ProgramReport> InstallService(OpenNode& node, const DerivedSettings* derived, const Delivery& delivery,
                                     Findings& findings) {
  findings = PROV_TRY(BeginRun(node)).findings;
  PROV_TRY(WarnOfLoss(node, findings));
  PROV_TRY(CheckProgram(node.host, delivery.allow_downgrade));
  if (derived != nullptr) {
    // The kept settings may stand in for the source later, so check them now. Each round checks for shrinking itself.
    PROV_TRY(CheckSettings(node, *derived, {.allow_downgrade = delivery.allow_downgrade, .allow_shrink = true}));
    PROV_TRY(CheckFollowed(node, delivery));
  }
  const bool pinned = PROV_TRY(PinGiven(node.host, delivery.pin, findings));
  reconcile::Sections sections;
  if (derived != nullptr) sections = SourceRecords(*derived, delivery, false);
  PROV_TRY(AddService(node, delivery, sections));
  PROV_TRY(AddLoss(node, sections));
  PROV_TRY(node.machine.state.Commit(sections));
  ProgramReport out = PROV_TRY(InstallProgramAndService(node, delivery.allow_downgrade));
  AddUpgrade(out, findings);
  out.wrote = out.wrote || pinned;
  return out;
}

Result<bool> KnowsService(OpenNode& node) {
  RepairedView view(node);
  return PROV_TRY(LoadService(PROV_TRY(view.Open()).machine.state)).has_value();
}

Result<Findings> ForgetService(OpenNode& node) {
  BegunRun run = PROV_TRY(BeginRun(node));
  PROV_TRY(Forget(node.machine.state, kServiceSection));
  return std::move(run.findings);
}

Result<void> RemoveProgram(machine::Host& host) {
  PROV_TRY(host.services().Remove(kServiceName));
  PROV_TRY(host.installation().RemoveProgram());
  return host.installation().RemoveState();
}

}  // namespace prov::node
