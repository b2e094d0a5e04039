#include "provisioner/node/image_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/node/events.h"
#include "provisioner/node/image_install.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/pin.h"
#include "provisioner/node/removal.h"
#include "provisioner/node/rollback.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/upgrade.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::node {
namespace {

using reconcile::RunReport;

Result<payload::Payload> PayloadOf(const DerivedSettings& derived, const ImageOptions& options) {
  payload::PayloadOptions payload;
  payload.generation = derived.settings.generation.value_or(1);
  payload.cluster = derived.settings.cluster;
  if (options.exe) payload.exe = options.exe->bytes;
  return payload::MakePayload(derived.settings.config, derived.desired, std::move(payload));
}

// Compares the program with the image's own architecture, which Windows keeps in a machine variable.
Result<void> CheckImageProgram(OpenNode& node, const ImageOptions& options) {
  if (!options.exe) return {};
  const std::string name =
      PROV_TRY(machine::ReadText(node.machine.registry, reconcile::EnvironmentKeyPath(), "PROCESSOR_ARCHITECTURE"));
  return payload::CheckArchitecture(*options.exe, name, "--exe");
}

Result<FilePlan> PlanFiles(machine::ImageHost& image, OpenNode& node, const payload::Payload& payload,
                           const Settings& settings, const ImageOptions& options) {
  payload::Pin pin = PROV_TRY(PinWith(image, options.pin));
  Retire(pin, settings.signer);
  if (settings.next_signer) Introduce(pin, settings.signer, *settings.next_signer);
  return PlanImageFiles(image.tree(), node.machine.state, payload, pin);
}

void Add(const FilePlan& files, RunReport& report) {
  report.changes.insert(report.changes.end(), files.changes.begin(), files.changes.end());
  report.findings.insert(report.findings.end(), files.findings.begin(), files.findings.end());
  report.writes += files.taken_over.size() + files.steps.size();
}

void AddAll(Findings findings, RunReport& report) { std::ranges::move(findings, std::back_inserter(report.findings)); }

void AddChanges(std::vector<reconcile::Change> changes, RunReport& report) {
  for (reconcile::Change& change : changes) {
    if (change.action != reconcile::Action::kNone) ++report.writes;
    report.changes.push_back(std::move(change));
  }
}

// Warns about a service that the image does not have. Its name may be misspelled, or the service is installed later.
// A name near to one that nodes have is reported with the settings.
Result<void> AddUnknownServices(OpenNode& node, const reconcile::DesiredState& desired, const std::string& image,
                                Findings& findings) {
  constexpr std::size_t kSlip = 2;
  for (const reconcile::ServiceEnvironment& wanted : desired.services) {
    if (PROV_TRY(node.machine.registry.KeyExists(reconcile::ServiceKeyPath(wanted.service)))) continue;
    if (!reconcile::SuggestNodeService(wanted.service).empty()) continue;
    std::string similar;
    for (const std::string& name : PROV_TRY(node.machine.registry.Subkeys(machine::kServicesKey))) {
      if (EditDistance(name, wanted.service) <= kSlip) similar += (similar.empty() ? "" : ", ") + name;
    }
    AddWarning(findings, "service-unknown",
               fmt::format("this image has no service {}{}; its environment will be set when the service exists",
                           wanted.service, similar.empty() ? "" : fmt::format(" (similar names: {})", similar)),
               image);
  }
  return {};
}

// Call it before anything is written.
Result<Findings> NotesOf(machine::ImageHost& image, OpenNode& node, const reconcile::DesiredState& desired,
                         const ImageOptions& options) {
  Findings out = PROV_TRY(image.Notes());
  if (options.install && !options.exe) {
    AddInfo(out, "script-only",
            "the payload has no provisioner.exe: its script applies the settings once, when Windows setup ends, and "
            "nothing reconciles at later boots; add the program with --exe",
            image.Name());
  }
  if (options.install && !options.exe && !PROV_TRY(PinWith(image, options.pin)).empty()) {
    AddWarning(out, "signer-script",
               "only provisioner.exe checks the pinned signer; the payload's script does not check signatures",
               image.Name());
  }
  PROV_TRY(AddUnknownServices(node, desired, image.Name(), out));
  if (desired.holds_credentials && !image.tree().CanProtect()) {
    AddWarning(out, "image-descriptors",
               "users of the node may be able to read files with credentials, because security descriptors can't be "
               "set in this image: mount the image with ntfs-3g, or use --credentials none",
               image.Name());
  }
  return out;
}

// What a command on an image is going to do.
struct ImagePlan {
  RunReport report;  // on the settings
  std::optional<payload::Payload> payload;
  FilePlan files;
  Findings notes;
};

// Reads only. The state is seen as it will be once it is repaired.
Result<ImagePlan> MakeImagePlan(machine::ImageHost& image, OpenNode& given, const DerivedSettings& derived,
                                const ApplyOptions& options, const ImageOptions& image_options) {
  ImagePlan out;
  PROV_TRY(CheckImageProgram(given, image_options));
  out.report = PROV_TRY(PlanSettings(given, derived, options));
  RepairedView view(given);
  OpenNode node = PROV_TRY(view.Open());
  if (image_options.install) {
    out.payload = PROV_TRY(PayloadOf(derived, image_options));
    out.files = PROV_TRY(PlanFiles(image, node, *out.payload, derived.settings, image_options));
  }
  out.notes = PROV_TRY(NotesOf(image, node, derived.desired, image_options));
  return out;
}

// Removes leftovers. Comes before the first write into an image. Errors: interrupted; those of the tree.
Result<void> PrepareImage(machine::ImageHost& image, Findings& findings) {
  // From here on, a signal requests a stop instead of ending the run in the middle of a file. A folder's files take
  // seconds; writing a WIM file checks again.
  PROV_TRY(FailIfStopped(image.clock(), image.Name()));
  return RemoveLeftovers(image.tree(), findings);
}

// Adds a finding if an installed payload stays in the image.
Result<void> WarnOfPayload(machine::ImageHost& image, OpenNode& node, RunReport& report) {
  if (!PROV_TRY(LoadImageRecord(node.machine.state))) return {};
  AddWarning(report.findings, "payload-stays",
             "the installed payload stays in the image and applies the settings again when the image runs; remove it "
             "with provisioner remove --all",
             image.Name());
  return {};
}

Result<FilePlan> PlanRemovalOfFiles(machine::ImageHost& image, OpenNode& node) {
  RepairedView view(node);
  return PlanImageFileRemoval(image.tree(), PROV_TRY(view.Open()).machine.state);
}

// A program that no record lists was installed when the image ran. RemoveInstallation removes it, too.
Result<void> AddProgramOfNoRecord(machine::ImageHost& image, const FilePlan& files, RunReport& report) {
  std::string key = reconcile::ItemKey(reconcile::kFileItem, machine::kImageProgram);
  if (std::ranges::find(files.changes, key, &reconcile::Change::key) != files.changes.end() ||
      !PROV_TRY(image.tree().IsFile(machine::kImageProgram))) {
    return {};
  }
  report.changes.push_back({reconcile::ItemKind::kFile,
                            reconcile::Action::kDelete,
                            std::string(machine::kImageProgram),
                            {},
                            {},
                            "with its folder",
                            std::move(key)});
  ++report.writes;
  return {};
}

// Removes what an installation put into the image, and what ran there left.
Result<void> RemoveInstallation(machine::ImageHost& image, OpenNode& node, const FilePlan& files) {
  PROV_TRY(UnregisterEventSource(node));
  PROV_TRY(RemoveFromSearchPath(node));
  PROV_TRY(image.services().Remove(kServiceName));
  PROV_TRY(node.machine.registry.Flush());  // before the program goes, so that nothing starts it any more
  PROV_TRY(WriteFiles(image.tree(), node.machine.state, files));
  PROV_TRY(EndInstallation(node.machine.state, files));
  PROV_TRY(RemoveKeptFiles(node.machine.state));
  PROV_TRY(image.installation().RemoveProgram());  // a program without a record: it was installed when the image ran
  return image.installation().RemoveState();
}

}  // namespace

Result<RunReport> PlanImage(machine::ImageHost& image, const DerivedSettings& derived, const ApplyOptions& options,
                            const ImageOptions& image_options) {
  const auto open = PROV_TRY(image.Open(machine::Access::kRead));
  OpenNode node{image, open->Ports()};
  ImagePlan plan = PROV_TRY(MakeImagePlan(image, node, derived, options, image_options));
  RunReport report = std::move(plan.report);
  if (plan.payload) {
    Add(plan.files, report);
    AddChanges(PROV_TRY(PlanDeliveredPayload(node, image_options.exe.has_value())), report);
  }
  AddAll(std::move(plan.notes), report);
  return report;
}

Result<RunReport> ApplyToImage(machine::ImageHost& image, const DerivedSettings& derived, const ApplyOptions& options,
                               const ImageOptions& image_options) {
  const auto open = PROV_TRY(image.Open(machine::Access::kWrite));
  OpenNode node{image, open->Ports()};
  ImagePlan plan = PROV_TRY(MakeImagePlan(image, node, derived, options, image_options));
  PROV_TRY(PrepareImage(image, plan.notes));
  BegunRun run = PROV_TRY(BeginRun(node));
  PROV_TRY(CheckSettings(node, derived, options));
  std::vector<reconcile::Change> services;
  reconcile::Sections sections;
  if (plan.payload) {
    PROV_TRY(WriteFiles(image.tree(), node.machine.state, plan.files));
    services = PROV_TRY(InstallDeliveredService(node, image_options.exe.has_value()));
    sections = PROV_TRY(DeliveredPayloadRecords(node, derived, *plan.payload));
  }
  RunReport report = PROV_TRY(ApplySettings(node, std::move(run), derived, options, std::move(sections)));
  if (plan.payload) {
    PROV_TRY(node.machine.registry.Flush());
    PROV_TRY(EndInstallation(node.machine.state, plan.files));
    Add(plan.files, report);
    AddChanges(std::move(services), report);
  }
  AddAll(std::move(plan.notes), report);
  return report;
}

Result<RunReport> RollBackImage(machine::ImageHost& image) {
  const auto open = PROV_TRY(image.Open(machine::Access::kWrite));
  OpenNode node{image, open->Ports()};
  Findings notes = PROV_TRY(image.Notes());
  PROV_TRY(PrepareImage(image, notes));
  RunReport report = PROV_TRY(Rollback(node, PROV_TRY(BeginRun(node))));
  PROV_TRY(WarnOfPayload(image, node, report));
  AddAll(std::move(notes), report);
  return report;
}

Result<RunReport> PlanRemovalFromImage(machine::ImageHost& image, bool all) {
  const auto open = PROV_TRY(image.Open(machine::Access::kRead));
  OpenNode node{image, open->Ports()};
  RunReport report = PROV_TRY(PlanRemoval(node, all));
  if (all) {
    const FilePlan files = PROV_TRY(PlanRemovalOfFiles(image, node));
    PROV_TRY(AddProgramOfNoRecord(image, files, report));
    Add(files, report);
  }
  AddAll(PROV_TRY(image.Notes()), report);
  return report;
}

Result<RunReport> RemoveFromImage(machine::ImageHost& image, bool all) {
  const auto open = PROV_TRY(image.Open(machine::Access::kWrite));
  OpenNode node{image, open->Ports()};
  Findings notes = PROV_TRY(image.Notes());
  // Find what can't be removed before anything is removed.
  FilePlan files;
  if (all) files = PROV_TRY(PlanRemovalOfFiles(image, node));
  PROV_TRY(PlanRemoval(node, all));
  PROV_TRY(PrepareImage(image, notes));
  RunReport report = PROV_TRY(RemoveSettings(node, PROV_TRY(BeginRemoval(node))));
  if (all && !PROV_TRY(KeepRecord(node, report))) {
    PROV_TRY(AddTraces(node, report));
    PROV_TRY(AddProgramOfNoRecord(image, files, report));
    PROV_TRY(RemoveInstallation(image, node, files));
    Add(files, report);
  } else {
    PROV_TRY(WarnOfPayload(image, node, report));
  }
  AddAll(std::move(notes), report);
  return report;
}

}  // namespace prov::node
