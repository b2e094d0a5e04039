#include "provisioner/cli/reporting_options.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

// windows_exporter reads only files with this ending and ignores others silently.
constexpr std::string_view kMetricsEnding = ".prom";

// nullopt: --node was not given.
Result<std::optional<node::ClusterNode>> ParseClusterNode(const Arguments& arguments) {
  if (!arguments.Has("node")) {
    if (!arguments.Has("node-kubeconfig")) return std::nullopt;
    return Fail(Code::kUsage, "needs --node NAME", "--node-kubeconfig");
  }
  node::ClusterNode out;
  out.name = arguments.Get("node");
  if (!source::IsKubeName(out.name)) {
    return Fail(
        Code::kUsage,
        fmt::format("takes the name of a Node, in lower case as kubectl get nodes shows it, not \"{}\"", out.name),
        "--node");
  }
  const std::string given = arguments.Get("node-kubeconfig", arguments.Get("kubeconfig"));
  out.kubeconfig = PROV_TRY(AbsoluteKubeconfig(given, "--node"));
  return out;
}

}  // namespace

OptionSpec IntervalOption() {
  return {"interval", "SECONDS", "time between rounds, each varied by a tenth (default: what is stored, else 60)",
          Group::kRun};
}

Result<std::optional<std::int64_t>> ParseInterval(const Arguments& arguments, std::int64_t longest) {
  if (!arguments.Has("interval")) return std::nullopt;
  const std::int64_t seconds = PROV_TRY(Number(arguments, "interval", 0));
  if (seconds >= 1 && seconds <= longest) return seconds;
  return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", longest), "--interval");
}

OptionGroup ClusterNodeOptionSpecs() {
  return {{"node", "NAME",
           "report the state of this machine to the cluster: in the annotation egress-provisioner/state of the Node "
           "NAME, and as Events",
           Group::kRun},
          {"node-kubeconfig", "FILE|in-cluster",
           "with --node: the kubeconfig for that cluster (default: the same as for --kubeconfig)", Group::kRun}};
}

OptionGroup RebootOptionSpecs() {
  return {{"reboot", "never|now|annotate|drain",
           "what to do when a reboot is needed: now asks Windows; annotate asks the Windows Machine Config Operator, "
           "which drains and reboots one node after another (needs --node); drain waits until provisioner fleet reboot "
           "has drained the node, then asks Windows (needs --node and rounds). Asked once per boot (default: never)",
           Group::kRun},
          {"reboot-window", "TIMES",
           "with --reboot now or drain: reboot only in this window, in UTC, such as \"22:00-04:00\" or \"Sat,Sun "
           "01:00-05:00\" "
           "(default: at any time)",
           Group::kRun}};
}

OptionSpec MetricsOption() {
  return {"metrics", "FILE.prom",
          "write metrics for windows_exporter's textfile collector into this file after each round", Group::kRun};
}

OptionSpec ApprovalOption() {
  return {
      "approval", "",
      "with --node: new settings wait until a rollout of the cluster approves them for this node, and are then tried "
      "with the rollout's probes (provisioner fleet rollout)",
      Group::kRun};
}

OptionGroup ReportingOptionSpecs() {
  return JoinOptions({ClusterNodeOptionSpecs(), {ApprovalOption(), MetricsOption()}, RebootOptionSpecs()});
}

Result<std::string> ParseMetrics(const Arguments& arguments) {
  std::string file = arguments.Get("metrics");
  if (!arguments.Has("metrics") || file.ends_with(kMetricsEnding)) return file;
  return Fail(
      Code::kUsage,
      fmt::format(
          "takes a file in the folder of windows_exporter's textfile collector whose name ends in {}, not \"{}\"",
          kMetricsEnding, Printable(file)),
      "--metrics");
}

Result<std::optional<node::MaintenanceWindow>> CheckRebootWindow(const Arguments& arguments) {
  if (!arguments.Has("reboot-window")) return std::nullopt;
  if (arguments.Get("reboot") != "now" && arguments.Get("reboot") != "drain")
    return Fail(Code::kUsage, "needs --reboot now or drain", "--reboot-window");
  auto window = PROV_TRY(node::ParseMaintenanceWindow(arguments.Get("reboot-window"), "--reboot-window"));
  // A command without the option makes no rounds.
  const std::int64_t usual = arguments.Knows("interval") ? node::kDefaultInterval : 0;
  const std::int64_t interval = PROV_TRY(ParseInterval(arguments)).value_or(usual);
  if (window.length >= interval + interval / 10) return window;
  return Fail(Code::kUsage,
              fmt::format("is open for {} s, but there is only one round every {} s (varied by a tenth), so the window "
                          "can pass without a round; give a longer window or a shorter --interval",
                          window.length, interval),
              "--reboot-window");
}

Result<node::NodeReporting> ParseReboot(const Arguments& arguments) {
  node::NodeReporting out;
  const std::string way = PROV_TRY(OneOf(arguments, "reboot"));
  if (way == "now") out.reboot.method = node::RebootMethod::kNow;
  if (way == "annotate") out.reboot.method = node::RebootMethod::kAnnotate;
  if (way == "drain") out.reboot.method = node::RebootMethod::kDrain;
  out.cluster = PROV_TRY(ParseClusterNode(arguments));
  if ((way == "annotate" || way == "drain") && !out.cluster)
    return Fail(Code::kUsage, fmt::format("{} needs --node NAME, the Node of this machine", way), "--reboot");
  out.reboot.window = PROV_TRY(CheckRebootWindow(arguments));
  return out;
}

Result<node::NodeReporting> ParseReporting(const Arguments& arguments) {
  node::NodeReporting out = PROV_TRY(ParseReboot(arguments));
  out.metrics_file = PROV_TRY(ParseMetrics(arguments));
  out.approval = arguments.Has("approval");
  if (out.approval && !out.cluster)
    return Fail(Code::kUsage, "needs --node NAME, the Node whose annotation approves settings", "--approval");
  return out;
}

Result<std::optional<node::NodeReporting>> GivenReporting(const Arguments& arguments, bool with_reboot) {
  node::NodeReporting out = PROV_TRY(ParseReporting(arguments));
  const bool is_given = arguments.Has("node") || arguments.Has("metrics") || arguments.Has("approval") ||
                        (with_reboot && (arguments.Has("reboot") || arguments.Has("reboot-window")));
  if (!is_given) return std::nullopt;
  if (!out.metrics_file.empty()) out.metrics_file = PROV_TRY(AbsolutePath(out.metrics_file));
  if (!with_reboot) out.reboot = {};
  return out;
}

}  // namespace prov::cli
