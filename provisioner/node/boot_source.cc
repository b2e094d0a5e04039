#include "provisioner/node/boot_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "provisioner/base/folder.h"
#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/confirmed_settings.h"
#include "provisioner/node/events.h"
#include "provisioner/node/image_install.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/payload/payload_reader.h"

namespace prov::node {
namespace {

bool IsBeneath(std::string_view path, std::string_view folder) {
  std::string normal(path);
  std::ranges::replace(normal, '/', '\\');
  return normal.size() > folder.size() && normal[folder.size()] == '\\' &&
         EqualsIgnoreAsciiCase(std::string_view(normal).substr(0, folder.size()), folder);
}

// Whether the source is a payload in Windows setup's folder: that was delivered for this run. Any other source may
// change later.
Result<bool> IsDelivered(const std::string& source, machine::Host& host) {
  return IsFolder(source) && IsBeneath(source, PROV_TRY(host.installation().SetupScriptsFolder()));
}

// Fills in the files of a delivered payload that hold secrets, and that it is not followed.
Result<Delivery> CompletedDelivery(const BootRequest& request, machine::Host& host) {
  Delivery out = request.delivery;
  const std::string& folder = out.spec.source.source;
  if (!PROV_TRY(IsDelivered(folder, host))) return out;
  out.follow = false;
  if (const auto source = ReadSource(host, request.given.source, {.pin = request.pin}))
    out.secret_files = source->secret_files;  // otherwise they were removed already
  for (std::string& file : out.secret_files) {
    std::string name = file.substr(request.given.source.source.size());
    // A manifest separates with '/'. Windows needs '\' in a path that it is to take literally.
    if (folder.find('\\') != std::string::npos) std::ranges::replace(name, '/', '\\');
    file = folder + name;
  }
  return out;
}

// Whether `apply --install` made this payload in the image. It makes one from a signed payload but can't sign it, so
// the image's record identifies it. A signature that exists but is wrong is never ignored.
Result<bool> WasMadeByInstallation(const std::string& folder, machine::StateRecord& state) {
  const auto signature = ReadRegularFile(fmt::format("{}/{}", folder, payload::kSignaturePath), 0);
  if (signature || signature.error().code != Code::kNotFound) return false;
  const auto manifest = ReadRegularFile(folder + "/manifest.json", payload::kMostManifestBytes);
  return manifest && PROV_TRY(IsInstalledPayload(state, *manifest));
}

// Windows setup may run this more than once. If a delivered payload's files with credentials are gone already, its kept
// settings are used.
Result<Settings> SettingsOf(const BootRequest& request, OpenNode& node) {
  const SettingsSpec& spec = request.delivery.spec;
  // A followed source is read as each later round reads it, so that what a round would refuse is refused now.
  Result<Settings> settings = PROV_TRY(IsDelivered(spec.source.source, node.host))
                                  ? ReadSettings(node.host, request.given, {.pin = request.pin})
                                  : ReadSettings(node.host, spec, {.pin = request.pin, .is_followed = true});
  if (settings || source::IsRemote(spec.source.source)) return settings;
  const bool unsigned_here = settings.error().code == Code::kSignature;
  const auto stored = PROV_TRY(LoadSource(node.machine.state));
  const bool used_up = stored && !stored->follow && stored->spec == spec;
  if (!used_up) return settings;
  if (unsigned_here && (!request.delivery.pin.signers.empty() ||
                        !PROV_TRY(WasMadeByInstallation(stored->spec.source.source, node.machine.state))))
    return settings;
  Result<Settings> kept = LastGoodSettings(node.machine.state);
  if (kept && unsigned_here) {
    AddInfo(
        kept->findings, "signature-kept",
        fmt::format("the payload was not used; the settings that were kept when it was installed are used instead: {}",
                    settings.error().message),
        settings.error().where);
  }
  return kept;
}

bool IsTemporary(const Error& error) {
  return error.code == Code::kNetwork || error.code == Code::kTls || error.code == Code::kLock;
}

// Leaves the boot to the service: setup may run this before the network is up or the cluster answers.
Error ContinueLater(OpenNode& node, const Delivery& delivery, Error error) {
  const Result<bool> later = FollowLater(node, delivery);
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

Result<reconcile::RunReport> Boot(OpenNode& node, BegunRun run, const BootRequest& request) {
  Result<Settings> settings = SettingsOf(request, node);
  const bool is_remote = source::IsRemote(request.given.source.source);
  if (!settings && !(is_remote && IsTemporary(settings.error()))) return std::unexpected(settings.error());
  const Delivery delivery = PROV_TRY(CompletedDelivery(request, node.host));
  if (!settings) return std::unexpected(ContinueLater(node, delivery, settings.error()));
  if (request.approver != nullptr && is_remote && !PROV_TRY(LoadApplied(node.machine.state)))
    BeginWithConfirmed(node.host, *request.approver, delivery.spec, *settings, run.findings);
  return FirstBoot(node, std::move(run), PROV_TRY(Derive(*settings)), delivery, request.apply);
}

Result<reconcile::RunReport> BeginAndBoot(OpenNode& node, const Result<BootRequest>& request) {
  BegunRun run = PROV_TRY(BeginRun(node));
  if (!request) return std::unexpected(request.error());
  return Boot(node, std::move(run), *request);
}

}  // namespace

Result<reconcile::RunReport> BootFromSource(OpenNode& node, const Result<BootRequest>& request) {
  Result<reconcile::RunReport> report = BeginAndBoot(node, request);
  if (report) {
    LogRun(node.host, *report);
  } else {
    LogFailure(node.host, report.error());
  }
  return report;
}

bool KeepBootFailure(OpenNode& node, const Error& error) {
  // If the state can't be read or written, both failures are in the event log.
  const auto earlier = LoadFailure(node.machine.state);
  const Result<void> saved = SaveFailure(node.machine.state, error);
  if (!saved) LogFailure(node.host, saved.error());
  return IsTemporary(error) && earlier && !*earlier;
}

}  // namespace prov::node
