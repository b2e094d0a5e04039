#include "provisioner/fleet/node_reports.h"

#include <utility>

#include "provisioner/base/file.h"
#include "provisioner/fleet/cluster_node.h"
#include "provisioner/fleet/metrics.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/follow.h"

namespace prov::fleet {
namespace {

constexpr unsigned kMetricsMode = 0644;  // windows_exporter may run as another user

std::optional<OperatorReboot> OperatorOf(machine::Host& host, const node::NodeReporting& reporting) {
  if (!reporting.cluster) return std::nullopt;
  return OperatorReboot(host, *reporting.cluster);
}

}  // namespace

NodeReports::NodeReports(machine::Host& host, node::NodeReporting what, std::string version,
                         std::function<void(const Error&)> failed)
    : host_(host),
      what_(std::move(what)),
      version_(std::move(version)),
      failed_(std::move(failed)),
      operator_(OperatorOf(host, what_)),
      reboots_(host, what_.reboot, operator_ ? &*operator_ : nullptr) {
  if (!what_.cluster) return;
  reporter_.emplace(what_.cluster->name, source::SourcePorts{host.http(), host.clock()},
                    [this] { return OpenCluster(host_, *what_.cluster); });
}

void NodeReports::Check(const Result<void>& result) const {
  if (!result) failed_(result.error());
}

Result<NodeState> NodeReports::Look() {
  const auto open = PROV_TRY(host_.Open(machine::Access::kRead));
  node::OpenNode node{host_, open->Ports()};
  return own_.Look(node, version_);
}

void NodeReports::AfterRound() {
  if (what_.IsNothing()) return;
  const Result<NodeState> state = Look();
  if (!state) return failed_(state.error());
  if (reporter_) {
    if (const auto reported = reporter_->Report(*state); !reported) failed_(reported.error());
  }
  if (!what_.metrics_file.empty()) {
    Check(WriteFileAtomically(what_.metrics_file, MetricsText(*state, own_.first_expiry(), host_.clock().NowUnix()),
                              kMetricsMode));
  }
  if (state->reboot_required) Check(reboots_.RequestWhenDue());
}

void FollowAndReport(machine::Host& host, node::LoopOptions options, const node::NodeReporting& reporting,
                     const std::string& version) {
  node::FailureLog log(host);
  NodeReports reports(host, reporting, version, [&](const Error& error) { log.Write(error); });
  options.after_round = [&] { reports.AfterRound(); };
  node::Follow(host, std::move(options));
}

}  // namespace prov::fleet
