#include "provisioner/node/pod_turn.h"

#include <algorithm>

#include "provisioner/node/events.h"
#include "provisioner/node/state_repair.h"

namespace prov::node {
namespace {

Result<void> InstallOwnProgram(machine::Host& host) {
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Findings findings;
  PROV_TRY(InstallService(node, nullptr, {}, findings));
  for (const Finding& f : findings) LogEvent(host, machine::Event::kApplied, f.severity, f.message);
  return {};
}

Result<void> UpgradeService(machine::Host& host, UpgradePause& pause) {
  const machine::ProgramStatus program = PROV_TRY(host.installation().LookAtProgram());
  if (!program.own || !program.installed || *program.own <= *program.installed) return {};
  if (!pause.IsOver(host.clock().NowUnix())) return {};
  Result<void> done = InstallOwnProgram(host);
  // A machine that somebody else is at work on was not touched.
  if (!done && done.error().code != Code::kLock) pause.Begin(host.clock().NowUnix());
  return done;
}

// Nothing if there is none, or if its record is damaged: whoever writes next repairs it.
Result<std::optional<StoredSource>> Stored(machine::Host& host) {
  const auto open = PROV_TRY(host.Open(machine::Access::kRead));
  Result<std::optional<StoredSource>> stored = LoadSource(open->Ports().state);
  return stored ? *std::move(stored) : std::nullopt;
}

Result<void> StoreSource(machine::Host& host, const SettingsSpec& spec) {
  const std::optional<StoredSource> stored = PROV_TRY(Stored(host));
  if (stored && stored->follow && stored->spec == spec) return {};
  const auto open = PROV_TRY(host.Open(machine::Access::kWrite));
  OpenNode node{host, open->Ports()};
  Findings findings;
  PROV_TRY(RepairState(node, findings));
  PROV_TRY(CheckSourceFiles(host.installation(), spec));
  return SaveSource(node.machine.state, {spec});
}

}  // namespace

void UpgradePause::Begin(std::int64_t now) {
  seconds_ = seconds_ == 0 ? kFirst : std::min(seconds_ * 2, kLongest);
  until_ = now + seconds_;
}

Result<Turn> TakeTurn(machine::Host& host, const SettingsSpec& spec, UpgradePause& pause) {
  const auto service = PROV_TRY(host.services().Query(kServiceName));
  if (service && service->running) {
    PROV_TRY(UpgradeService(host, pause));
    const std::optional<StoredSource> stored = PROV_TRY(Stored(host));
    return stored && !stored->follow ? Turn::kNobody : Turn::kService;
  }
  if (!service) PROV_TRY(StoreSource(host, spec));
  return Turn::kPod;
}

}  // namespace prov::node
