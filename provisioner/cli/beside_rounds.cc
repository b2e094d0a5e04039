#include "provisioner/cli/beside_rounds.h"

#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/cli/main.h"
#include "provisioner/fleet/metrics.h"
#include "provisioner/node/activity.h"

namespace prov::cli {
namespace {

constexpr unsigned kMetricsMode = 0644;  // windows_exporter need not be an administrator

constexpr std::int64_t kPauseAfterFailure = 300;  // seconds, between requests for a reboot

}  // namespace

BesideWork::BesideWork(machine::Host& host, node::NodeReporting what, std::function<void(const Error&)> report)
    : host_(host), what_(std::move(what)), report_(std::move(report)) {
  if (!what_.cluster) return;
  teller_.emplace(
      what_.cluster->name, source::SourcePorts{host.http(), host.clock()},
      [this] { return OpenCluster(host_, *what_.cluster); }, source::KubeRandom, Memory());
}

// What can't be kept is forgotten with this process.
fleet::PauseMemory BesideWork::Memory() {
  const auto load = [this]() -> fleet::Pause {
    const auto open = host_.Open(machine::Access::kRead);
    if (!open) return {};
    node::OpenNode node{host_, (*open)->Ports()};
    const node::TellPause kept = node::LoadTellPause(node);
    return {kept.seconds, kept.until};
  };
  const auto save = [this](const fleet::Pause& pause) {
    const auto open = host_.Open(machine::Access::kWrite);
    if (!open) return;
    node::OpenNode node{host_, (*open)->Ports()};
    node::NoteTellPause(node, pause.seconds, pause.until);
  };
  return {load, save};
}

void BesideWork::Report(const Result<void>& result) const {
  if (!result) report_(result.error());
}

Result<fleet::NodeState> BesideWork::Look() {
  const auto open = PROV_TRY(host_.Open(machine::Access::kRead));
  node::OpenNode node{host_, open->Ports()};
  return own_.Look(node, VersionNumber());
}

// A reboot that waits for its window, or for those who were asked, keeps the machine from nobody.
void BesideWork::AskWhenDue() {
  const std::int64_t now = host_.clock().NowUnix();
  const bool is_paused = now < ask_not_before_ && ask_not_before_ - now <= kPauseAfterFailure;
  if (is_paused || !what_.reboot.MayAskAt(now)) return;
  const Result<void> asked = AskForReboot();
  if (!asked) ask_not_before_ = host_.clock().NowUnix() + kPauseAfterFailure;
  Report(asked);
}

Result<void> BesideWork::AskForReboot() {
  Findings findings;
  {
    const auto open = PROV_TRY(host_.Open(machine::Access::kRead));
    node::OpenNode node{host_, open->Ports()};
    if (!PROV_TRY(node::RebootIsDue(node))) return {};
  }
  {
    const auto open = PROV_TRY(host_.Open(machine::Access::kWrite));
    node::OpenNode node{host_, open->Ports()};
    PROV_TRY(cli::AskForReboot(node, what_, findings));
  }
  for (const Finding& f : findings) {
    if (f.severity == Severity::kWarning) return Fail(Code::kTarget, f.message, host_.Name());
  }
  return {};
}

void BesideWork::Do() {
  if (what_.IsNothing()) return;
  const Result<fleet::NodeState> state = Look();
  if (!state) return report_(state.error());
  if (teller_) {
    if (const auto told = teller_->Tell(*state); !told) report_(told.error());
  }
  if (!what_.metrics_file.empty()) {
    Report(WriteFileAtomically(what_.metrics_file,
                               fleet::MetricsText(*state, own_.first_expiry(), host_.clock().NowUnix()), kMetricsMode));
  }
  if (state->reboot_required) AskWhenDue();
}

}  // namespace prov::cli
