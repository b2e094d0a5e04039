#include "provisioner/node/pod_turn.h"

#include <algorithm>
#include <utility>

#include "provisioner/node/begin_run.h"
#include "provisioner/node/events.h"

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
  const machine::ProgramStatus program = PROV_TRY(host.installation().ReadProgramStatus());
  if (!program.own || !program.installed || *program.own <= *program.installed) return {};
  if (!pause.IsOver(host.clock().NowUnix())) return {};
  Result<void> done = InstallOwnProgram(host);
  // If another run holds the lock, nothing was touched; no pause is needed.
  if (!done && done.error().code != Code::kLock) pause.Begin(host.clock().NowUnix());
  return done;
}

// nullopt if there is none, or if its record is damaged: the next command that writes repairs it.
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
  LogWarnings(host, PROV_TRY(BeginRun(node)).findings, machine::Event::kRecovered);
  PROV_TRY(CheckSourceFiles(host.installation(), spec));
  return SaveSource(node.machine.state, {spec});
}

// What a pod that leaves the rounds to the boot service says once a day.
void Warn(machine::Host& host, const LoopOptions& options, FindingCode code, std::string message) {
  RoundReport report;
  AddWarning(report.run.findings, code, std::move(message), std::string(machine::kStateFile));
  LogRun(host, report.run);
  if (options.on_report) options.on_report(report);
}

void WarnOfDelivered(machine::Host& host, const LoopOptions& options) {
  Warn(host, options, "stored-source",
       "the boot service keeps settings that were delivered once, and this pod leaves the rounds to it: neither "
       "follows the pod's source. Run provisioner service uninstall on the node, and the pod makes the rounds; or "
       "store a source for the service: provisioner service install --source SOURCE");
}

void WarnOfUnapproved(machine::Host& host, const LoopOptions& options) {
  Warn(host, options, "approval-service",
       "the boot service makes the rounds of this node and takes new settings without approval, although this pod was "
       "told to wait for it. Run provisioner service install --approval with --node and --node-kubeconfig on the node; "
       "or provisioner service uninstall, and the pod makes the rounds");
}

// A record that can't be read is repaired by the next command that writes.
bool ServiceWaits(machine::Host& host) {
  const auto open = host.Open(machine::Access::kRead);
  if (!open) return true;
  const auto stored = LoadService((*open)->Ports().state);
  return !stored || !*stored || (**stored).reporting.approval;
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
    return stored && !stored->follow ? Turn::kNone : Turn::kService;
  }
  if (!service) PROV_TRY(StoreSource(host, spec));
  return Turn::kPod;
}

LoopOptions PodRounds(machine::Host& host, const SettingsSpec& spec, LoopOptions options, bool wants_approval) {
  LoopOptions out = options;
  out.varies = true;
  out.should_skip = [&host, spec, wants_approval, options = std::move(options), limit = DailyLimit(),
                     failures = FailureLog(host), pause = UpgradePause()]() mutable {
    const Result<Turn> turn = TakeTurn(host, spec, pause);
    if (!turn) {
      const bool is_new = turn.error().code != Code::kLock && failures.Write(turn.error());
      if (is_new && options.on_failure) options.on_failure(turn.error());
      return true;
    }
    const bool is_due = *turn == Turn::kNone && limit.IsDue("delivered once", host.clock().NowUnix());
    if (is_due) WarnOfDelivered(host, options);
    const bool is_apart = wants_approval && *turn == Turn::kService && !ServiceWaits(host);
    if (is_apart && limit.IsDue("without approval", host.clock().NowUnix())) WarnOfUnapproved(host, options);
    return *turn != Turn::kPod;
  };
  return out;
}

}  // namespace prov::node
