// `first-boot`: applies the settings, installs the program and cleans up, with exit codes that Windows setup
// understands.
#include "provisioner/node/first_boot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/folder.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/machine_command.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/node/events.h"
#include "provisioner/node/image_install.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/records.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/payload/payload_reader.h"
#include "provisioner/source/source.h"

namespace prov::cli {
namespace {

using reconcile::SessionReport;

// Windows setup's answers to WillReboot=OnRequest; it ends the installation at any other but 0.
constexpr int kRebootThenNext = 1;
constexpr int kRebootThenAgain = 2;

// The boot service begins with a round when Windows starts, just when setup runs this.
constexpr std::int64_t kFirstBootLockWait = 60;

bool IsBeneath(std::string_view path, std::string_view folder) {
  std::string normal(path);
  std::ranges::replace(normal, '/', '\\');
  return normal.size() > folder.size() && normal[folder.size()] == '\\' &&
         EqualsIgnoreAsciiCase(std::string_view(normal).substr(0, folder.size()), folder);
}

struct Signers {
  std::optional<pki::Certificate> given;   // on the command line: to be pinned
  std::optional<pki::Certificate> wanted;  // of the payload
};

// How it is asked, but for what Windows setup wants of it.
struct BootOptions {
  Signers signers;
  node::SettingsSpec given;       // as the command line says
  node::SettingsSpec remembered;  // as the node remembers it
  std::optional<std::int64_t> interval;
  std::optional<node::NodeReporting> reporting;
  node::ApplyOptions apply;

  const std::string& source() const { return given.source.source; }
};

Result<BootOptions> ParseBootOptions(const Arguments& arguments, machine::Host& host) {
  BootOptions out;
  out.signers.given = PROV_TRY(GivenSigner(arguments));
  out.signers.wanted = PROV_TRY(WantedSigner(out.signers.given, {&host}));
  out.remembered = PROV_TRY(SpecToRemember(arguments, arguments.positional()));
  out.interval = PROV_TRY(ParseInterval(arguments));
  out.reporting = PROV_TRY(GivenReporting(arguments, false));
  out.given = PROV_TRY(ParseSettingsSpec(arguments));
  out.apply = PROV_TRY(ParseApplyOptions(arguments));
  out.apply.refuse_empty = RefusesEmpty(arguments);
  return out;
}

// A payload in Windows setup's folder was delivered for this run; another source is one that will change.
Result<bool> IsDelivered(const std::string& source, machine::Host& host) {
  return IsFolder(source) && IsBeneath(source, PROV_TRY(host.installation().SetupScriptsFolder()));
}

Result<node::Delivery> DeliveryOf(const BootOptions& options, machine::Host& host) {
  node::Delivery out;
  out.signer = options.signers.given;
  out.interval_seconds = options.interval;
  out.reporting = options.reporting;
  out.spec = options.remembered;
  out.allow_downgrade = options.apply.allow_downgrade;
  const std::string& folder = out.spec.source.source;
  if (!PROV_TRY(IsDelivered(folder, host))) return out;
  out.follow = false;
  if (const auto source = node::ReadSource(host, options.given.source, {.signer = options.signers.wanted}))
    out.secret_files = source->secret_files;  // else they are gone already
  for (std::string& file : out.secret_files) {
    std::string name = file.substr(options.source().size());
    // A manifest has '/' everywhere; a path that Windows shall take as it is must not.
    if (folder.find('\\') != std::string::npos) std::ranges::replace(name, '/', '\\');
    file = folder + name;
  }
  return out;
}

// `apply --install` makes a payload in the image, of one that was signed, and nobody signs that; the image's record
// says which one it is. A signature that is there and is wrong is never passed over.
Result<bool> WasMadeByInstallation(const std::string& folder, machine::StateRecord& state) {
  const auto signature = ReadRegularFile(fmt::format("{}/{}", folder, payload::kSignaturePath), 0);
  if (signature || signature.error().code != Code::kNotFound) return false;
  const auto manifest = ReadRegularFile(folder + "/manifest.json", payload::kMostManifestBytes);
  return manifest && PROV_TRY(node::IsInstalledPayload(state, *manifest));
}

// Windows setup may run this more than once: a delivered payload whose files with credentials are gone already is the
// one whose settings are kept.
Result<node::Settings> Settings(const BootOptions& options, node::OpenNode& node) {
  const Signers& signers = options.signers;
  const node::SettingsSpec& spec = options.remembered;
  // What is followed is read as each later round reads it, so that what that refuses is refused now.
  Result<node::Settings> settings =
      PROV_TRY(IsDelivered(spec.source.source, node.host))
          ? node::ReadSettings(node.host, options.given, {.signer = signers.wanted})
          : node::ReadSettings(node.host, spec, {.signer = signers.wanted, .is_followed = true});
  if (settings || source::IsRemote(options.source())) return settings;
  const bool unsigned_here = settings.error().code == Code::kSignature;
  const auto stored = PROV_TRY(node::LoadSource(node.machine.state));
  const bool used_up = stored && !stored->follow && stored->spec == spec;
  if (!used_up) return settings;
  if (unsigned_here &&
      (signers.given || !PROV_TRY(WasMadeByInstallation(stored->spec.source.source, node.machine.state))))
    return settings;
  Result<node::Settings> kept = node::LastGoodSettings(node.machine.state);
  if (kept && unsigned_here) {
    AddInfo(
        kept->findings, "signature-kept",
        fmt::format("the payload was not used; the settings that were kept when it was installed are used instead: {}",
                    settings.error().message),
        settings.error().where);
  }
  return kept;
}

bool MayPass(const Error& error) {
  return error.code == Code::kNetwork || error.code == Code::kTls || error.code == Code::kLock;
}

// Setup runs this before the network is there, and a cluster that comes up answers late.
Error GoOnLater(node::OpenNode& node, const node::Delivery& delivery, Error error) {
  const Result<bool> later = node::FollowLater(node, delivery);
  if (!later) {
    error.message += fmt::format("; the boot service, which would try again, could not be installed either: {}",
                                 SentenceWithPlace(later.error().message, PlaceOf(later.error())));
  } else if (*later) {
    error.message += "; the boot service is installed and tries again";
  } else {
    error.message += "; reconcile continues with the other source that is stored on this machine";
  }
  return error;
}

Result<SessionReport> Boot(const Arguments& arguments, machine::Host& host, node::OpenNode& node) {
  const BootOptions options = PROV_TRY(ParseBootOptions(arguments, host));
  const Result<node::Settings> settings = Settings(options, node);
  if (!settings && !(source::IsRemote(options.source()) && MayPass(settings.error())))
    return std::unexpected(settings.error());
  const node::Delivery delivery = PROV_TRY(DeliveryOf(options, host));
  if (!settings) return std::unexpected(GoOnLater(node, delivery, settings.error()));
  return node::FirstBoot(node, PROV_TRY(node::Derive(*settings)), delivery, options.apply);
}

// Setup must go on: the error is in the event log and in a marker that the boot service and `status` show.
Result<Outcome> Tolerate(const Error& error, machine::Host& host, node::OpenNode* node, bool on_request, bool json) {
  node::LogFailure(host, error);
  bool again = false;
  if (node != nullptr) {
    // Where the state can't be read or written, the event log has both failures.
    const auto earlier = node::LoadFailure(node->machine.state);
    again = on_request && MayPass(error) && earlier && !*earlier;
    const Result<void> saved = node::SaveFailure(node->machine.state, error);
    if (!saved) node::LogFailure(host, saved.error());
  }
  if (!json) PrintError(stderr, error);
  return Outcome{again ? kRebootThenAgain : 0, json ? ErrorDocument(error) : std::string(), {}};
}

// How its end is told.
struct FirstBootOptions {
  bool json = false;
  bool in_setup = false;    // Windows setup reads the exit code
  bool on_request = false;  // and takes one that asks for a reboot
  Ending ending;
  std::int64_t wait_lock = 0;  // seconds
};

Result<FirstBootOptions> ParseFirstBootOptions(const Arguments& arguments) {
  constexpr std::array<std::string_view, 4> kPhases = {"", "specialize", "setup-onrequest", "logon"};
  FirstBootOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  const std::string phase = PROV_TRY(OneOf(arguments, "phase", kPhases));
  out.ending = PROV_TRY(ParseEnding(arguments));
  out.wait_lock = PROV_TRY(ParseWaitLock(arguments, kFirstBootLockWait));
  out.on_request = phase == "setup-onrequest";
  out.in_setup = out.on_request || phase == "specialize";
  if (!out.in_setup || (!out.ending.reporting.reboot.way && out.ending.reboot_exit == 0)) return out;
  return Fail(Code::kUsage, "Windows setup decides about reboots in this phase; leave out --reboot and --exit-style",
              "--phase");
}

Result<Outcome> RunFirstBoot(const Arguments& arguments, machine::Host& host) {
  const auto [json, in_setup, on_request, ending, wait_lock] = PROV_TRY(ParseFirstBootOptions(arguments));
  const Result<Target> target = OpenTarget(host, machine::Access::kWrite, wait_lock);
  if (!target && in_setup) return Tolerate(target.error(), host, nullptr, on_request, json);
  if (!target) return std::unexpected(target.error());
  node::OpenNode node = target->Node(host);
  Findings repaired;
  const Result<void> usable = node::RepairState(node, repaired);
  Result<SessionReport> report = usable ? Boot(arguments, host, node) : std::unexpected(usable.error());
  if (!report && in_setup) return Tolerate(report.error(), host, &node, on_request, json);
  if (!report) {
    node::LogFailure(host, report.error());
    return std::unexpected(report.error());
  }
  report->findings.insert(report->findings.begin(), repaired.begin(), repaired.end());
  node::LogRun(host, *report);
  const int exit = on_request && report->reboot_required ? kRebootThenNext : PROV_TRY(End(node, ending, *report));
  Outcome out = SessionOutcome(json, target->name, *std::move(report), true, exit);
  if (!json) {
    out.out += fmt::format("the service {} is installed; its program is {}\n", node::kServiceName,
                           PROV_TRY(host.installation().ProgramPath()));
  }
  return out;
}

}  // namespace

Command FirstBootCommand() {
  Command command;
  command.spec = {
      "first-boot",
      "Apply a source, install this program with its boot service, and remember the source.",
      "SOURCE",
      "A payload below %SystemRoot%\\Setup\\Scripts is used once: settings in the image that equal it are taken over,\n"
      "a copy of its settings is kept, and its files with credentials are deleted when Windows setup is over. Any\n"
      "other source is stored, and reconcile reads it again. Phases: specialize always exits 0, because setup would\n"
      "end otherwise, and reports a failure in status and the event log; setup-onrequest exits 1 for \"reboot\" and 2\n"
      "for \"reboot and run again\".",
      "  > provisioner first-boot C:\\Windows\\Setup\\Scripts\\Provisioner --phase specialize",
      JoinOptions(
          {{{"phase", "specialize|setup-onrequest|logon",
             "the phase of Windows setup that runs this command (default: none)", Group::kRun}},
           SourceOptionSpecs(),
           DesiredOptionSpecs(),
           ApplyOptionSpecs(),
           {SignerOption(),
            {"interval", "SECONDS",
             "time between rounds of the boot service, each varied by a tenth (default: what is stored, else 60)",
             Group::kRun},
            MetricsOption(),
            WaitLockOption()},
           OutputOptionSpecs()})};
  command.run = RunFirstBoot;
  return command;
}

}  // namespace prov::cli
