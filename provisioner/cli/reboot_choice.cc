#include "provisioner/cli/reboot_choice.h"

#include <fmt/format.h>

#include <array>

#include "provisioner/cli/machine_command.h"
#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/wmco.h"

namespace prov::cli {
namespace {

constexpr std::string_view kReason = "provisioner changed the machine's proxy variables";

// Nobody but the operator reads the annotation.
Result<bool> OperatorRunsHere(node::OpenNode& node) { return reconcile::SeesWmcoDaemon(node.machine.registry); }

// The machine is open meanwhile, so that nobody asks in the other way: others wait for it.
constexpr int kAnnotateSeconds = 15;

Result<void> Annotate(node::OpenNode& node, const ClusterNode& cluster) {
  const source::KubeAccess access = PROV_TRY(OpenCluster(node.host, cluster, kAnnotateSeconds));
  source::KubeClient client(access, {node.host.http(), node.host.clock()});
  return fleet::AskOperatorForReboot(client, cluster.name);
}

// Who can't be asked says nothing: a reboot that is needed must not wait for that.
bool OperatorIsAsked(node::OpenNode& node, const ClusterNode& cluster) {
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

std::vector<OptionSpec> RebootOptionSpecs() {
  return {{"reboot", "never|now|annotate",
           "what to do when a reboot is needed: now asks Windows; annotate asks the Windows Machine Config Operator, "
           "which drains and reboots one node after another (needs --node). Asked once per boot (default: never)",
           Group::kRun},
          {"reboot-window", "TIMES",
           "with --reboot now: reboot only in this window, in UTC, such as \"22:00-04:00\" or \"Sat,Sun 01:00-05:00\" "
           "(default: at any time)",
           Group::kRun}};
}

Result<std::optional<node::MaintenanceWindow>> CheckRebootWindow(const Arguments& arguments) {
  if (!arguments.Has("reboot-window")) return std::nullopt;
  if (arguments.Get("reboot") != "now") return Fail(Code::kUsage, "needs --reboot now", "--reboot-window");
  const auto window = PROV_TRY(node::ParseMaintenanceWindow(arguments.Get("reboot-window"), "--reboot-window"));
  const std::int64_t interval = PROV_TRY(ParseInterval(arguments)).value_or(0);
  if (window.length >= interval + interval / 10) return window;
  return Fail(Code::kUsage,
              fmt::format("is open for {} s, but there is only one round every {} s (varied by a tenth), so the window "
                          "can pass without a round; give a longer window or a shorter --interval",
                          window.length, interval),
              "--reboot-window");
}

Result<RebootChoice> ParseReboot(const Arguments& arguments) {
  constexpr std::array<std::string_view, 3> kWays = {"never", "now", "annotate"};
  RebootChoice out;
  const std::string way = PROV_TRY(OneOf(arguments, "reboot", kWays));
  if (way == "now") out.way = node::RebootWay::kNow;
  if (way == "annotate") out.way = node::RebootWay::kAnnotate;
  out.node = PROV_TRY(ParseClusterNode(arguments));
  if (way == "annotate" && !out.node)
    return Fail(Code::kUsage, "annotate needs --node NAME, the Node that the annotation is for", "--reboot");
  out.window = PROV_TRY(CheckRebootWindow(arguments));
  return out;
}

Result<void> AskForReboot(node::OpenNode& node, const RebootChoice& choice, Findings& findings) {
  if (!choice.way || !PROV_TRY(reconcile::RebootPending(node.machine))) return {};
  const node::RebootWay way = *choice.way;
  const bool has_operator = PROV_TRY(OperatorRunsHere(node));
  if (way == node::RebootWay::kAnnotate && !has_operator) {
    AddWarning(findings, "reboot-annotate",
               "no annotation is written, because the Windows Machine Config Operator's daemon, which acts on it, is "
               "not on this machine; use --reboot now");
    return {};
  }
  if (!choice.MayAskAt(node.host.clock().NowUnix())) {
    AddInfo(findings, "reboot-waits", "a reboot is needed, and --reboot-window is not open now");
    return {};
  }
  if (has_operator && choice.node && PROV_TRY(node::RebootIsDue(node)) && OperatorIsAsked(node, *choice.node)) {
    AddInfo(findings, "reboot-waits",
            "a reboot is needed, and the Windows Machine Config Operator was asked for it already; nothing more is "
            "requested until the annotation is gone from the Node");
    return {};
  }
  const node::RebootAnswer answer = PROV_TRY(node::RequestReboot(node, way, [&]() -> Result<void> {
    return way == node::RebootWay::kNow ? node.host.Reboot(kReason) : Annotate(node, *choice.node);
  }));
  Tell(answer, way, findings);
  return {};
}

}  // namespace prov::cli
