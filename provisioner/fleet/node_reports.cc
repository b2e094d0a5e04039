#include "provisioner/fleet/node_reports.h"

#include <utility>

#include "provisioner/fleet/approver.h"
#include "provisioner/fleet/cluster_node.h"
#include "provisioner/fleet/metrics.h"
#include "provisioner/node/activity.h"
#include "provisioner/node/follow.h"

namespace prov::fleet {
namespace {

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
  NodeState out = PROV_TRY(own_.Look(node, version_));
  out.drain = PROV_TRY(node::DrainWishOf(node, what_.reboot));
  return out;
}

// The file is written as SYSTEM, so nobody else may decide where it goes: the port refuses folders that others can
// change.
Result<void> NodeReports::WriteMetrics(const NodeState& state) {
  const auto open = PROV_TRY(host_.Open(machine::Access::kRead));
  machine::Files& files = open->Ports().files;
  const std::string& path = what_.metrics_file;
  const std::string folder = path.substr(0, path.find_last_of("/\\"));
  if (!PROV_TRY(files.FolderExists(folder)))
    return Fail(Code::kIo, "the folder for metrics does not exist; make it, or correct --metrics", folder);
  return files.PutFile(path, MetricsText(state, own_.first_expiry(), host_.clock().NowUnix()),
                       machine::FileAccess::kKept);
}

void NodeReports::AfterRound() {
  if (what_.IsNothing()) return;
  const Result<NodeState> state = Look();
  if (!state) return failed_(state.error());
  if (reporter_) {
    if (const auto reported = reporter_->Report(*state); !reported) failed_(reported.error());
  }
  if (!what_.metrics_file.empty()) Check(WriteMetrics(*state));
  if (state->reboot_required) Check(reboots_.RequestWhenDue());
}

void FollowAndReport(machine::Host& host, node::LoopOptions options, const node::NodeReporting& reporting,
                     const std::string& version) {
  node::FailureLog log(host);
  NodeReports reports(host, reporting, version, [&](const Error& error) { log.Write(error); });
  std::optional<ClusterApprover> approver;
  if (reporting.approval && reporting.cluster) options.approver = &approver.emplace(host, *reporting.cluster);
  options.after_round = [&] { reports.AfterRound(); };
  node::Follow(host, std::move(options));
}

}  // namespace prov::fleet
