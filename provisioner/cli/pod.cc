// `pod`: the process of a HostProcess container that keeps the settings of a source applied on its node. Manifests:
// docs/fleet.md.
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/removal.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/version.h"
#include "provisioner/fleet/cluster_node.h"
#include "provisioner/fleet/node_reports.h"
#include "provisioner/node/pod_turn.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kRemovalLock = 120;      // seconds, within which a round of the boot service ends
constexpr std::int64_t kIdlePause = 3'600'000;  // milliseconds

struct PodOptions {
  bool json = false;
  bool remove = false;
  node::SettingsSpec spec;    // unused with `remove`
  std::int64_t interval = 0;  // seconds; 0: the stored one
  node::NodeReporting reporting;
};

Result<PodOptions> ParsePodOptions(const Arguments& arguments) {
  PodOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.remove = arguments.Has("remove");
  out.reporting = PROV_TRY(ParseReporting(arguments));
  out.interval = PROV_TRY(ParseInterval(arguments)).value_or(0);
  if (out.remove && !arguments.positional().empty())
    return Fail(Code::kUsage, "takes no SOURCE, because it removes the settings of any source; leave SOURCE out",
                "--remove");
  if (out.remove) return out;
  out.spec = PROV_TRY(SpecToRemember(PROV_TRY(ParseSettingsSpec(arguments))));
  return out;
}

// Waits when it is done, because a DaemonSet would restart a container that ends.
Result<Outcome> Remove(const PodOptions& options, machine::Host& host) {
  const reconcile::RunReport removed = PROV_TRY(RemoveFromHost(host, true, kRemovalLock));
  PrintReport(options.json, removed);
  if (options.reporting.cluster) PROV_TRY(fleet::ForgetState(host, *options.reporting.cluster));
  while (host.clock().Wait(kIdlePause)) continue;
  return Outcome{};
}

Result<Outcome> RunPod(const Arguments& arguments, machine::Host& host) {
  const PodOptions options = PROV_TRY(ParsePodOptions(arguments));
  if (options.remove) return Remove(options, host);
  // Fail at once if the first round could not run.
  PROV_TRY(OpenTarget(host, machine::Access::kRead));
  const node::LoopOptions loop{
      .interval_seconds = options.interval,
      .on_report = [&options](const node::RoundReport& report) { PrintReport(options.json, report.run); },
      .on_failure = [&options](const Error& error) { PrintFailure(options.json, error); }};
  fleet::FollowAndReport(host, node::PodRounds(host, options.spec, loop, options.reporting.approval), options.reporting,
                         VersionNumber());
  return Outcome{};
}

}  // namespace

Command PodCommand() {
  CommandSpec spec = {
      "pod",
      "Keep the settings of a source in place on this node, as the process of a HostProcess container.",
      "SOURCE",
      "Makes the same rounds as the boot service. If the boot service runs, it makes them instead, and an older\n"
      "program of it is replaced by this one. With --node, the state of the node is reported to the cluster in either\n"
      "case. provisioner deploy prints the DaemonSet. With --remove, everything that provisioner set is removed from\n"
      "the node, and no source is followed.",
      "  > provisioner pod kube:///worker --kubeconfig in-cluster --node win-1 --service containerd\n"
      "  target  this machine\n"
      "    ~ updated  env          HTTP_PROXY  http://old:3128 -> http://proxy.example.com:3128\n"
      "  2 writes done",
      JoinOptions(
          {SourceOptionSpecs(),
           {IntervalOption(),
            {"remove", "", "remove everything that provisioner set on this node, including the boot service, and wait",
             Group::kRun}},
           DesiredOptionSpecs(),
           ReportingOptionSpecs(),
           OutputOptionSpecs()})};
  spec.instead = "remove";
  return {.spec = std::move(spec), .run = RunPod};
}

}  // namespace prov::cli
