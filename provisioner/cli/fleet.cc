// `fleet`: compares the settings that the nodes of a cluster, and the Secrets with user data, report with those that
// they should have.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/fleet_page.h"
#include "provisioner/cli/fleet_reboot.h"
#include "provisioner/cli/fleet_rollout.h"
#include "provisioner/cli/fleet_text.h"
#include "provisioner/cli/html_page.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/fleet/fleet_status.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLongestWait = 86400;
constexpr std::int64_t kWatchPause = 5000;  // milliseconds
constexpr std::size_t kMostWatched = 20;    // of more nodes only those that are not current are shown

struct FleetOptions {
  bool json = false;
  bool watch = false;
  std::string html;  // path of the page; "": none
  fleet::StatusRequest request;
};

Result<void> CheckCluster(const std::string& cluster) {
  if (source::IsKubeUri(cluster)) return {};
  return Fail(Code::kUsage, "is not a cluster; give kube://, or kube://CONTEXT with a context of your kubeconfig",
              cluster);
}

// The options, of those that not all words read, that this one reads.
std::vector<std::string_view> OwnOptions(std::string_view word) {
  if (word == "reboot") return {"wave", "timeout", kForceOption};
  if (word == "status") return {"source", "wait", "watch", "html"};
  std::vector<std::string_view> out;
  if (word != "rollout") return out;
  out.emplace_back("source");
  for (const OptionSpec& option : RolloutOptionSpecs()) out.push_back(option.name);
  return out;
}

// Refuses an unknown word of `fleet`, and options that it would leave unread.
Result<void> CheckFleetWord(const Arguments& arguments, const std::string& word) {
  constexpr std::array<std::string_view, 5> kWords = {"status", "rollout", "hold", "resume", "reboot"};
  if (std::ranges::find(kWords, word) == kWords.end()) return RefuseValue("provisioner fleet", "one of", word, kWords);
  std::vector<std::string_view> options = {"source", "wait", "watch", "html", kForceOption};
  for (const OptionSpec& option : RolloutOptionSpecs()) options.push_back(option.name);
  const std::vector<std::string_view> own = OwnOptions(word);
  for (const std::string_view name : options) {
    if (arguments.Has(name) && std::ranges::find(own, name) == own.end())
      return Fail(Code::kUsage, fmt::format("is not for fleet {}; leave it out", word), fmt::format("--{}", name));
  }
  return {};
}

Result<FleetOptions> ParseFleetOptions(const Arguments& arguments) {
  FleetOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.request.name_space = PROV_TRY(FleetNamespace(arguments));
  out.request.cluster = PROV_TRY(ParseSourceSpec(arguments));
  out.request.cluster.source = arguments.words().at(1);
  out.request.wanted = out.request.cluster;
  if (arguments.Has("source")) out.request.wanted.source = arguments.Get("source");
  out.request.wait_seconds = PROV_TRY(Number(arguments, "wait", 0));
  if (out.request.wait_seconds > kLongestWait)
    return Fail(Code::kUsage, fmt::format("takes 0 to {} seconds", kLongestWait), "--wait");
  out.watch = arguments.Has("watch");
  out.html = PROV_TRY(ParsePagePath(arguments));
  if (!out.watch) return out;
  if (out.json || out.request.wait_seconds != 0 || !out.html.empty())
    return Fail(Code::kUsage, "does not go with --wait, --html and --output json; leave one out", "--watch");
  if (!IsTerminal(stdout))
    return Fail(Code::kUsage, "needs a terminal; elsewhere use --wait, or call the command again", "--watch");
  return out;
}

// What fits on a screen, with the errors of a reading, which the next one may not have.
std::string WatchText(Result<fleet::FleetStatus> fleet, std::int64_t now) {
  if (!fleet) return fmt::format("{}\n", Printable(SentenceWithPlace(fleet.error().message, fleet.error().where)));
  const std::size_t nodes = fleet->rows.size();
  const std::size_t current = CountCurrent(fleet->rows);
  if (nodes > kMostWatched) std::erase_if(fleet->rows, [](const fleet::NodeRow& row) { return row.current; });
  std::string out;
  if (!fleet->rows.empty()) out = FleetTable("NODE", fleet->rows, fleet->wanted, now);
  return out + fmt::format("{} of {} nodes are current\n", current, nodes) + RolloutLines(fleet->rollout);
}

// Until this program is asked to stop.
Result<Outcome> WatchFleet(machine::Host& host, const fleet::StatusRequest& request) {
  constexpr std::string_view kHomeAndClear = "\x1b[H\x1b[J";
  const std::string_view begin = SupportsColour(stdout) ? kHomeAndClear : "";
  fleet::FleetStatus first = PROV_TRY(fleet::ReadStatus(host, request));
  bool done = fleet::IsDone(first, request);
  std::string text = WatchText(std::move(first), host.clock().NowUnix());
  for (;;) {
    std::fputs(fmt::format("{}{}\n{}", begin, FormatUtc(host.clock().NowUnix()), text).c_str(), stdout);
    std::fflush(stdout);
    if (!host.clock().Wait(kWatchPause)) return Outcome{done ? 0 : kExitDifferences, {}, {}};
    Result<fleet::FleetStatus> next = fleet::ReadStatus(host, request);
    done = next && fleet::IsDone(*next, request);
    text = WatchText(std::move(next), host.clock().NowUnix());
  }
}

Result<Outcome> RunFleet(const Arguments& arguments, machine::Host& host) {
  const std::string& word = arguments.words().front();
  const std::string& cluster = arguments.words().at(1);
  PROV_TRY(CheckFleetWord(arguments, word));
  PROV_TRY(CheckCluster(cluster));
  if (word == "reboot") return RunFleetReboot(arguments, host, cluster);
  if (word != "status") return RunFleetRollout(arguments, host, word, cluster);
  const FleetOptions options = PROV_TRY(ParseFleetOptions(arguments));
  if (options.watch) return WatchFleet(host, options.request);
  fleet::FleetStatus fleet = PROV_TRY(fleet::AwaitStatus(host, options.request));
  const int exit = fleet::IsDone(fleet, options.request) ? 0 : kExitDifferences;
  if (!options.html.empty()) PROV_TRY(WriteFleetPage(options.html, fleet, host.clock().NowUnix()));
  if (options.json) return Outcome{exit, FleetJson(fleet), {}};
  return Outcome{exit, FleetText(fleet, host.clock().NowUnix()), std::move(fleet.findings)};
}

}  // namespace

Command FleetCommand() {
  CommandSpec spec = {
      "fleet",
      "Show which Windows nodes of a cluster have their settings, roll out new ones, and reboot nodes in turns.",
      "status|rollout|hold|resume|reboot kube://[CONTEXT]",
      "status: each node that runs provisioner with --node reports its state in the annotation\n"
      "egress-provisioner/state of its Node. The wanted settings are those of --source, or else of the pool\n"
      "(kube://CONTEXT/POOL). A node is current when it has these settings and, where this can be checked, the same\n"
      "password. The exit code is 4 while a node is not current. The Secrets that a controller keeps (provisioner\n"
      "controller) are listed in the same way; one that is missing, or whose controller does not run, is not\n"
      "current. status needs the right to list nodes, and for these Secrets that to list Secrets and Deployments.\n\n"
      "rollout: nodes that wait for approval (deploy --approval) try the settings of the source, canaries first, then\n"
      "wave after wave. A wave begins when all nodes before it have confirmed that they get out with the settings. If\n"
      "one took them back, or the time is over, nothing more is approved: exit code 4, with the nodes and their\n"
      "reasons. A command that was killed goes on when it is run again. hold stops a rollout, resume lets it go on.\n\n"
      "reboot: nodes that wait for a reboot (deploy --reboot drain) take turns. Each is cordoned and drained (by\n"
      "evictions, which PodDisruptionBudgets may refuse), restarts, and is uncordoned when it is back. If one is not\n"
      "drained or does not return in time, no other is begun: exit code 4. A command that was killed goes on when it\n"
      "is run again.",
      "  $ provisioner fleet status kube://\n"
      "  NODE   CURRENT   DIGEST        APPLIED      DRIFT  REBOOT  VERSION   FAILURE\n"
      "  win-1  yes       4385a46da03e  3 d 4 h          0  no      0.1.0     -\n"
      "  win-2  no        8f4486f3c682  12 d 1 h         0  needed  0.1.0     [network] the server ...\n"
      "  1 of 2 nodes are current; wanted 4385a46da03e of MachineConfig rendered-worker-3d1c...\n"
      "  $ provisioner fleet status kube://admin --wait 600 && echo done\n"
      "  $ provisioner fleet rollout kube:// --canary 2 --wave 10% --probe https://quay.io/",
      JoinOptions(
          {{{"source", "SOURCE", "the wanted or new settings: any source (default: the pool of the cluster)",
             Group::kSource, true}},
           SourceOptionSpecs(),
           RolloutOptionSpecs(),
           {{kForceOption, "", "reboot: also evict pods that no controller makes again", Group::kGuards},
            {"namespace", "NAME", "namespace of the fleet's pods (default: egress-provisioner)", Group::kTarget},
            {"wait", "SECONDS",
             "wait up to this long until there are nodes and all are current; exit code 4 if there are none "
             "(default: 0)",
             Group::kRun},
            {"html", "FILE",
             "status: also write the state as one page for a browser, which loads nothing from elsewhere",
             Group::kOutput},
            {"watch", "", "show the state anew every five seconds, on a terminal, until Ctrl-C", Group::kRun}},
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunFleet};
}

}  // namespace prov::cli
