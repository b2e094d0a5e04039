// `reconcile`: applies the stored source to this machine: once, as a service, or until stopped.
#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/version.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/fleet/node_reports.h"
#include "provisioner/node/begin_run.h"
#include "provisioner/node/events.h"
#include "provisioner/node/follow.h"
#include "provisioner/node/records.h"
#include "provisioner/node/service_loop.h"
#include "provisioner/node/state_repair.h"
#include "provisioner/node/upgrade.h"

namespace prov::cli {
namespace {

enum class Mode { kOnce, kWatch, kService };

struct ReconcileOptions {
  bool json = false;
  std::int64_t interval = 0;  // seconds; 0: the stored one
  Mode mode = Mode::kOnce;
  Ending ending;                                 // of one round
  std::optional<node::NodeReporting> reporting;  // of several rounds; nullopt: the stored one
  std::int64_t wait_lock = 0;                    // of one round, in seconds
};

Result<ReconcileOptions> ParseReconcileOptions(const Arguments& arguments) {
  ReconcileOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.interval = PROV_TRY(ParseInterval(arguments)).value_or(0);
  const int modes = int{arguments.Has("once")} + int{arguments.Has("watch")} + int{arguments.Has("service")};
  if (modes > 1) return Fail(Code::kUsage, "--once, --watch and --service exclude each other", "provisioner reconcile");
  if (arguments.Has("watch")) out.mode = Mode::kWatch;
  if (arguments.Has("service")) out.mode = Mode::kService;
  out.reporting = PROV_TRY(GivenReporting(arguments, true));
  if (out.mode == Mode::kOnce) {
    out.ending = PROV_TRY(ParseEnding(arguments));
    if (out.reporting) out.reporting->reboot = {};  // `ending` has the reboot
  }
  out.wait_lock = PROV_TRY(ParseWaitLock(arguments));
  return out;
}

// Opens the machine again, because it is closed after a round.
Result<int> EndOnce(machine::Host& host, const ReconcileOptions& options, reconcile::RunReport& report) {
  if (!options.ending.reporting.reboot.method)
    return report.reboot_required && !report.trial ? options.ending.reboot_exit : 0;
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, options.wait_lock));
  node::OpenNode node = target.Node(host);
  AddNewFindings(report.findings, PROV_TRY(node::BeginRun(node)).findings);
  return End(node, options.ending, report);
}

// The reporting options; of the boot service, those stored when it was installed. A damaged record is read as the next
// round repairs it.
Result<node::NodeReporting> ReportingOf(machine::Host& host, const ReconcileOptions& options) {
  if (options.reporting) return *options.reporting;
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kRead));
  node::OpenNode node = target.Node(host);
  node::RepairedView view(node);
  const auto stored = PROV_TRY(node::LoadService(PROV_TRY(view.Open()).machine.state));
  return stored ? stored->reporting : node::NodeReporting();
}

Result<Outcome> Once(const ReconcileOptions& options, machine::Host& host) {
  // Without options of its own, this round waits for approval as the boot service's do.
  const node::NodeReporting reporting = PROV_TRY(ReportingOf(host, options));
  std::optional<fleet::ClusterApprover> approver;
  if (reporting.approval && reporting.cluster) approver.emplace(host, *reporting.cluster);
  auto round = PROV_TRY(WhenFree(host.clock(), options.wait_lock, [&] {
    return node::RunRound(host, node::FollowedReader(host, nullptr), approver ? &*approver : nullptr,
                          node::RoundBy::kPerson);
  }));
  if (!round) return Fail(Code::kNetwork, "was stopped while it read the source; nothing changed", host.Name());
  node::RoundReport report = *std::move(round);
  node::LogRound(host, report);
  int exit = PROV_TRY(EndOnce(host, options, report.run));
  const auto tell = [&](const Error& error) { PrintFailure(options.json, error); };
  if (options.reporting) fleet::NodeReports(host, *options.reporting, VersionNumber(), tell).AfterRound();
  // The kept settings are in place, but an administrator must look after the source.
  if (report.source_error) exit = InfoOf(report.source_error->code).exit;
  return ReportOutcome(options.json, host.Name(), std::move(report.run), true, exit);
}

Result<Outcome> RunReconcile(const Arguments& arguments, machine::Host& host) {
  const ReconcileOptions options = PROV_TRY(ParseReconcileOptions(arguments));
  if (options.mode == Mode::kOnce) return Once(options, host);
  node::LoopOptions loop{.interval_seconds = options.interval};
  if (options.mode == Mode::kService) {
    loop.varies = true;
    // A record that can't be read must not stop the rounds.
    const Result<node::NodeReporting> stored = ReportingOf(host, options);
    if (!stored) node::LogFailure(host, stored.error());
    const node::NodeReporting reporting = stored.value_or(node::NodeReporting());
    PROV_TRY(
        host.RunAsService(node::kServiceName, [&] { fleet::FollowAndReport(host, loop, reporting, VersionNumber()); }));
    return Outcome{};
  }
  // Fail at once if the first round could not run.
  PROV_TRY(OpenTarget(host, machine::Access::kWrite, options.wait_lock));
  loop.by = node::RoundBy::kPerson;
  loop.on_report = [&options](const node::RoundReport& report) { PrintReport(options.json, report.run); };
  loop.on_failure = [&options](const Error& error) { PrintFailure(options.json, error); };
  fleet::FollowAndReport(host, loop, options.reporting.value_or(node::NodeReporting()), VersionNumber());
  return Outcome{};
}

}  // namespace

Command ReconcileCommand() {
  CommandSpec spec = {
      "reconcile",
      "Apply the current settings of the stored source, and repair settings that others changed.",
      "",
      "first-boot and service install store the source. If it is missing or broken, the settings that were applied\n"
      "last stay in place, and their age is reported.",
      "  > provisioner reconcile --once\n"
      "  target  this machine\n"
      "      9 items are as wanted already\n"
      "  no changes: this machine matches the settings",
      JoinOptions(
          {{{"once", "", "one round, then exit (the default)", Group::kRun},
            {"watch", "", "a round whenever the source changes (kube://) or --interval has passed, until stopped",
             Group::kRun},
            {"service", "", "the same as --watch, as a Windows service; the service control manager starts it this way",
             Group::kRun},
            IntervalOption(),
            ExitStyleOption(),
            WaitLockOption()},
           OutputOptionSpecs(),
           ReportingOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunReconcile};
}

}  // namespace prov::cli
