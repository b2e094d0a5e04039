#include "provisioner/cli/image_command.h"

#include <fmt/format.h>

#include "provisioner/base/suggestion.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/node/events.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/image_install.h"
#include "provisioner/node/search_path.h"
#include "provisioner/node/signer.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/items.h"

namespace prov::cli {
namespace {

using reconcile::SessionReport;

Result<payload::Payload> PayloadOf(const node::DerivedSettings& derived, const ImageOptions& options) {
  payload::PayloadOptions payload;
  payload.generation = derived.settings.generation.value_or(1);
  if (options.exe) payload.exe = options.exe->bytes;
  return payload::MakePayload(derived.settings.config, derived.desired, std::move(payload));
}

// Compares the program with the image's own architecture, which Windows keeps in a machine variable.
Result<void> CheckProgram(node::OpenNode& node, const ImageOptions& options) {
  if (!options.exe) return {};
  const std::string name =
      PROV_TRY(machine::ReadText(node.machine.registry, reconcile::EnvironmentKeyPath(), "PROCESSOR_ARCHITECTURE"));
  return payload::CheckArchitecture(*options.exe, name, "--exe");
}

Result<node::FilePlan> PlanFiles(machine::ImageHost& image, node::OpenNode& node, const payload::Payload& payload,
                                 const ImageOptions& options) {
  const auto signer = options.signer ? options.signer : PROV_TRY(node::PinnedSigner(image));
  return node::PlanImageFiles(image.tree(), node.machine.state, payload, signer);
}

void Add(const node::FilePlan& files, SessionReport& report) {
  report.changes.insert(report.changes.end(), files.changes.begin(), files.changes.end());
  report.findings.insert(report.findings.end(), files.findings.begin(), files.findings.end());
  report.writes += files.taken_over.size() + files.steps.size();
}

void AddAll(Findings findings, SessionReport& report) {
  for (Finding& f : findings) report.findings.push_back(std::move(f));
}

void AddService(reconcile::Change change, SessionReport& report) {
  if (change.action != reconcile::Action::kNone) ++report.writes;
  report.changes.push_back(std::move(change));
}

// Warns about a service that the image does not have: its name is more likely misspelled than of a later service.
Result<void> AddUnknownServices(node::OpenNode& node, const reconcile::DesiredState& desired, const std::string& image,
                                Findings& findings) {
  constexpr std::size_t kSlip = 2;
  constexpr std::string_view kServicesKey = R"(SYSTEM\CurrentControlSet\Services)";
  for (const reconcile::ServiceEnvironment& wanted : desired.services) {
    if (PROV_TRY(node.machine.registry.KeyExists(reconcile::ServiceKeyPath(wanted.service)))) continue;
    std::string near;
    for (const std::string& name : PROV_TRY(node.machine.registry.Subkeys(kServicesKey))) {
      if (EditDistance(name, wanted.service) <= kSlip) near += (near.empty() ? "" : ", ") + name;
    }
    AddWarning(findings, "service-unknown",
               fmt::format("this image has no service {}{}; its environment will be set when the service exists",
                           wanted.service, near.empty() ? "" : fmt::format(" (near to it: {})", near)),
               image);
  }
  return {};
}

// Call it before anything is written.
Result<Findings> NotesOf(machine::ImageHost& image, node::OpenNode& node, const reconcile::DesiredState& desired,
                         const ImageOptions& options) {
  Findings out = PROV_TRY(image.Notes());
  if (options.install && !options.exe) {
    AddInfo(out, "script-only",
            "the payload has no provisioner.exe: its script applies the settings once, when Windows setup ends, and "
            "nothing reconciles at later boots; add the program with --exe",
            image.Name());
  }
  if (options.install && !options.exe && (options.signer || PROV_TRY(node::PinnedSigner(image)))) {
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

Result<ImageOptions> ParseImageOptions(const Arguments& arguments) {
  const bool image = arguments.Has("root") || arguments.Has("wim");
  for (const std::string_view option : {"install", "exe"}) {
    if (arguments.Has(option) && !image) {
      return Fail(Code::kUsage, "needs --root or --wim, because it acts on images", "--" + std::string(option));
    }
  }
  for (const std::string_view option : {"try", "reboot", "restart-services", "exit-style"}) {
    if (arguments.Has(option) && image) {
      return Fail(Code::kUsage, "needs a running machine, so it can't be used with an image; leave it out",
                  "--" + std::string(option));
    }
  }
  if (arguments.Has("exe") && !arguments.Has("install")) {
    return Fail(Code::kUsage, "needs --install", "--exe");
  }
  ImageOptions out{arguments.Has("install"), {}, PROV_TRY(GivenSigner(arguments))};
  if (arguments.Has("exe")) out.exe = PROV_TRY(payload::LoadProgramFile(arguments.Get("exe")));
  return out;
}

}  // namespace

Result<void> PrepareImage(machine::ImageHost& image, Findings& findings) {
  // From here on, a signal requests a stop instead of ending the run in the middle of a file. A folder's files take
  // seconds; writing a WIM file checks again.
  PROV_TRY(FailIfStopped(image.clock(), image.Name()));
  return node::RemoveLeftovers(image.tree(), findings);
}

OptionGroup ImageOptionSpecs() {
  return {
      {"install", "",
       "with --root or --wim: also install the payload, its service and the commands that start them into the image",
       Group::kTarget},
      {"exe", "FILE", "with --install: the provisioner.exe that keeps the settings in place when the image runs",
       Group::kTarget}};
}

Result<node::DerivedSettings> PlanRequest::Derive(machine::Host& live, const std::vector<machine::Host*>& hosts) const {
  const node::ReadOptions read{.signer = PROV_TRY(WantedSigner(image.signer, hosts))};
  return node::Derive(PROV_TRY(node::ReadSettings(live, settings, read)));
}

Result<PlanRequest> ParsePlanRequest(const Arguments& arguments) {
  PlanRequest out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.apply = PROV_TRY(ParseApplyOptions(arguments));
  out.image = PROV_TRY(ParseImageOptions(arguments));
  out.target = ParseTargetOptions(arguments);
  out.settings = PROV_TRY(ParseSettingsSpec(arguments));
  return out;
}

Result<void> WarnOfPayload(machine::ImageHost& image, node::OpenNode& node, SessionReport& report) {
  if (!PROV_TRY(node::LoadImageRecord(node.machine.state))) return {};
  AddWarning(report.findings, "payload-stays",
             "the installed payload stays in the image and applies the settings again when the image runs; remove it "
             "with provisioner remove --all",
             image.Name());
  return {};
}

Result<TargetReport> PlanImage(machine::ImageHost& image, const node::DerivedSettings& derived,
                               const node::ApplyOptions& options, const ImageOptions& image_options) {
  const Target target = PROV_TRY(OpenTarget(image, machine::Access::kRead));
  node::OpenNode opened = target.Node(image);
  node::RepairedView view(opened);
  node::OpenNode node = PROV_TRY(view.Open());
  PROV_TRY(CheckProgram(node, image_options));
  SessionReport report = PROV_TRY(node::PlanSettings(node, derived, options));
  if (image_options.install) {
    const payload::Payload payload = PROV_TRY(PayloadOf(derived, image_options));
    Add(PROV_TRY(PlanFiles(image, node, payload, image_options)), report);
    AddService(PROV_TRY(node::PlanDeliveredPayload(node, image_options.exe.has_value())), report);
  }
  AddAll(PROV_TRY(NotesOf(image, node, derived.desired, image_options)), report);
  return TargetReport{target.name, std::move(report)};
}

Result<TargetReport> ApplyToImage(machine::ImageHost& image, const node::DerivedSettings& derived,
                                  const node::ApplyOptions& options, const ImageOptions& image_options) {
  const Target target = PROV_TRY(OpenTarget(image, machine::Access::kWrite));
  node::OpenNode node = target.Node(image);
  node::FilePlan files;
  std::optional<payload::Payload> payload;
  std::optional<reconcile::Change> service;
  reconcile::Sections sections;
  PROV_TRY(CheckProgram(node, image_options));
  PROV_TRY(node::PlanSettings(node, derived, options));  // checks come before the first write
  Findings notes = PROV_TRY(NotesOf(image, node, derived.desired, image_options));
  PROV_TRY(node::RepairState(node, notes));
  if (image_options.install) {
    payload = PROV_TRY(PayloadOf(derived, image_options));
    files = PROV_TRY(PlanFiles(image, node, *payload, image_options));
  }
  PROV_TRY(PrepareImage(image, notes));
  if (payload) {
    PROV_TRY(node::CarryOut(image.tree(), node.machine.state, files));
    service = PROV_TRY(node::InstallDeliveredService(node, image_options.exe.has_value()));
    sections = PROV_TRY(node::DeliveredPayloadRecords(node, derived, *payload));
  }
  SessionReport report =
      PROV_TRY(node::ApplySettings(node, PROV_TRY(node::BeginRun(node)), derived, options, std::move(sections)));
  if (service) {
    PROV_TRY(node.machine.registry.Flush());
    PROV_TRY(node::EndInstallation(node.machine.state, files));
    Add(files, report);
    AddService(*std::move(service), report);
  }
  AddAll(std::move(notes), report);
  return TargetReport{target.name, std::move(report)};
}

Result<TargetReport> RemoveFromImage(machine::ImageHost& image, bool all) {
  const Target target = PROV_TRY(OpenTarget(image, machine::Access::kWrite));
  node::OpenNode node = target.Node(image);
  Findings notes = PROV_TRY(image.Notes());
  PROV_TRY(node::RepairState(node, notes));
  // Find what can't be removed before anything is removed.
  std::optional<node::FilePlan> files;
  if (all) files = PROV_TRY(node::PlanImageFileRemoval(image.tree(), node.machine.state));
  PROV_TRY(node::PlanRemoval(node));
  PROV_TRY(PrepareImage(image, notes));
  reconcile::SessionReport report = PROV_TRY(node::RemoveSettings(node));
  if (all) {
    PROV_TRY(node::UnregisterEventSource(node));
    PROV_TRY(node::RemoveFromSearchPath(node));
    PROV_TRY(image.services().Remove(node::kServiceName));
    PROV_TRY(node.machine.registry.Flush());  // before the program goes, so that nothing starts it any more
    PROV_TRY(node::CarryOut(image.tree(), node.machine.state, *files));
    PROV_TRY(node::EndInstallation(node.machine.state, *files));
    PROV_TRY(node::RemoveKeptFiles(node.machine.state));
    PROV_TRY(image.installation().RemoveProgram());  // a program without a record: it was installed when the image ran
    PROV_TRY(image.installation().RemoveState());
    Add(*files, report);
  } else {
    PROV_TRY(WarnOfPayload(image, node, report));
  }
  AddAll(std::move(notes), report);
  return TargetReport{target.name, std::move(report)};
}

}  // namespace prov::cli
