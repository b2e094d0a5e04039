#include "provisioner/cli/reboot_choice.h"

#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::cli {
namespace {

constexpr std::string_view kReason = "provisioner changed the machine's proxy variables";

// Nobody but the operator reads the annotation.
Result<bool> OperatorRunsHere(node::OpenNode& node) { return reconcile::SeesWmcoDaemon(node.machine.registry); }

// The machine is open meanwhile, so that nobody asks in the other way: others wait for it.
constexpr int kAnnotateSeconds = 15;

Result<void> Annotate(node::OpenNode& node, const node::ClusterNode& cluster) {
  const source::KubeAccess access = PROV_TRY(OpenCluster(node.host, cluster, kAnnotateSeconds));
  source::KubeClient client(access, {node.host.http(), node.host.clock()});
  return fleet::AskOperatorForReboot(client, cluster.name);
}

// Who can't be asked says nothing: a reboot that is needed must not wait for that.
bool OperatorIsAsked(node::OpenNode& node, const node::ClusterNode& cluster) {
  const auto access = OpenCluster(node.host, cluster, kAnnotateSeconds);
  if (!access) return false;
  source::KubeClient client(*access, {node.host.http(), node.host.clock()});
  return fleet::OperatorIsAsked(client, cluster.name).value_or(false);
}

void Tell(node::RebootAnswer answer, node::RebootWay way, Findings& findings) {
  if (answer == node::RebootAnswer::kAskedBefore) {
    AddInfo(findings, "reboot-asked", "a reboot was requested earlier in this boot and is not requested again");
  } else if (answer == node::RebootAnswer::kAsked) {
    AddInfo(findings, "reboot-asked",
            way == node::RebootWay::kNow
                ? "Windows was asked to reboot"
                : "the Windows Machine Config Operator was asked to drain and reboot this node");
  }
}

}  // namespace

Result<source::KubeAccess> OpenCluster(machine::Host& host, const node::ClusterNode& node,
                                       std::optional<int> timeout_seconds) {
  source::SourceSpec spec;
  spec.source = "kube://";
  spec.kubeconfig = node.kubeconfig;
  spec.timeout_seconds = timeout_seconds;
  return source::KubeAccess::Open(node::RequestOf(host, spec, node.is_followed), "", source::ThisProcess());
}

Result<void> AskForReboot(node::OpenNode& node, const node::NodeReporting& choice, Findings& findings) {
  if (!choice.reboot.way || !PROV_TRY(reconcile::RebootPending(node.machine))) return {};
  const node::RebootWay way = *choice.reboot.way;
  const bool has_operator = PROV_TRY(OperatorRunsHere(node));
  if (way == node::RebootWay::kAnnotate && !has_operator) {
    AddWarning(findings, "reboot-annotate",
               "no annotation is written, because the Windows Machine Config Operator's daemon, which acts on it, is "
               "not on this machine; use --reboot now");
    return {};
  }
  if (!choice.reboot.MayAskAt(node.host.clock().NowUnix())) {
    AddInfo(findings, "reboot-waits", "a reboot is needed, and --reboot-window is not open now");
    return {};
  }
  if (has_operator && choice.cluster && PROV_TRY(node::RebootIsDue(node)) && OperatorIsAsked(node, *choice.cluster)) {
    AddInfo(findings, "reboot-waits",
            "a reboot is needed, and the Windows Machine Config Operator was asked for it already; nothing more is "
            "requested until the annotation is gone from the Node");
    return {};
  }
  const node::RebootAnswer answer = PROV_TRY(node::RequestReboot(node, way, [&]() -> Result<void> {
    return way == node::RebootWay::kNow ? node.host.Reboot(kReason) : Annotate(node, *choice.cluster);
  }));
  Tell(answer, way, findings);
  return {};
}

}  // namespace prov::cli
