// `first-boot`: applies the settings, installs the program and removes what was delivered, with exit codes that Windows
// setup understands.
#include <fmt/format.h>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/node/boot_source.h"
#include "provisioner/node/events.h"

namespace prov::cli {
namespace {

// Exit codes for WillReboot=OnRequest. Windows setup ends the installation for any other code but 0.
constexpr int kRebootThenNext = 1;
constexpr int kRebootThenAgain = 2;

// The boot service makes its first round when Windows starts, which may be while setup runs this.
constexpr std::int64_t kFirstBootLockWait = 60;

Result<node::BootRequest> ParseBootRequest(const Arguments& arguments, machine::Host& host) {
  node::BootRequest out;
  out.delivery.pin = PROV_TRY(GivenPin(arguments));
  out.pin = PROV_TRY(WantedPin(out.delivery.pin, {&host}));
  out.given = PROV_TRY(ParseSettingsSpec(arguments));
  out.delivery.spec = PROV_TRY(SpecToRemember(out.given));
  out.delivery.interval_seconds = PROV_TRY(ParseInterval(arguments));
  out.delivery.reporting = PROV_TRY(GivenReporting(arguments, false));
  out.apply = PROV_TRY(ParseApplyOptions(arguments));
  out.apply.refuse_empty = RefusesEmpty(arguments);
  out.delivery.allow_downgrade = out.apply.allow_downgrade;
  return out;
}

// How the result is reported.
struct FirstBootOptions {
  bool json = false;
  bool in_setup = false;    // Windows setup reads the exit code
  bool on_request = false;  // Windows setup accepts exit codes that ask for a reboot
  Ending ending;
  std::int64_t wait_lock = 0;  // seconds
};

Result<FirstBootOptions> ParseFirstBootOptions(const Arguments& arguments) {
  FirstBootOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  const std::string phase = arguments.Has("phase") ? PROV_TRY(OneOf(arguments, "phase")) : "";
  out.ending = PROV_TRY(ParseEnding(arguments));
  out.wait_lock = PROV_TRY(ParseWaitLock(arguments, kFirstBootLockWait));
  out.on_request = phase == "setup-onrequest";
  out.in_setup = out.on_request || phase == "specialize";
  if (!out.in_setup || (!out.ending.reporting.reboot.method && out.ending.reboot_exit == 0)) return out;
  return Fail(Code::kUsage, "Windows setup decides about reboots in this phase; leave out --reboot and --exit-style",
              "--phase");
}

// Reports success to setup, which must go on. The error is in the event log and in the state record (`failure`), which
// the boot service and `status` show.
Outcome Tolerate(const Error& error, bool try_again, bool json) {
  if (!json) PrintError(stderr, error);
  return Outcome{try_again ? kRebootThenAgain : 0, json ? ErrorDocument(error) : std::string(), {}};
}

Result<Outcome> RunFirstBoot(const Arguments& arguments, machine::Host& host) {
  const auto [json, in_setup, on_request, ending, wait_lock] = PROV_TRY(ParseFirstBootOptions(arguments));
  const Result<Target> target = OpenTarget(host, machine::Access::kWrite, wait_lock);
  if (!target && in_setup) {
    node::LogFailure(host, target.error());
    return Tolerate(target.error(), false, json);
  }
  if (!target) return std::unexpected(target.error());
  node::OpenNode node = target->Node(host);
  Result<node::BootRequest> request = ParseBootRequest(arguments, host);
  std::optional<fleet::ClusterApprover> approver;
  if (request && request->delivery.reporting && request->delivery.reporting->approval)
    request->approver = &approver.emplace(host, *request->delivery.reporting->cluster);
  Result<reconcile::RunReport> report = node::BootFromSource(node, request);
  if (!report && in_setup) {
    const bool may_succeed = node::KeepBootFailure(node, report.error());
    return Tolerate(report.error(), may_succeed && on_request, json);
  }
  if (!report) return std::unexpected(report.error());
  const int exit = on_request && report->reboot_required ? kRebootThenNext : PROV_TRY(End(node, ending, *report));
  Outcome out = ReportOutcome(json, target->name, *std::move(report), true, exit);
  if (!json) {
    out.out += fmt::format("the service {} is installed; its program is {}\n", node::kServiceName,
                           PROV_TRY(host.installation().ProgramPath()));
  }
  return out;
}

}  // namespace

Command FirstBootCommand() {
  CommandSpec spec = {
      "first-boot",
      "Apply a source, install this program with its boot service, and remember the source.",
      "SOURCE",
      "A payload below %SystemRoot%\\Setup\\Scripts is used once: settings in the image that equal it are taken over,\n"
      "a copy of its settings is kept, and its files with credentials are deleted when Windows setup is over. Any\n"
      "other source is stored, and reconcile reads it again. Phases: specialize always exits 0, because setup would\n"
      "end otherwise, and reports a failure in status and the event log; setup-onrequest exits 1 for \"reboot\" and 2\n"
      "for \"reboot and run again\".",
      "  > provisioner first-boot C:\\Windows\\Setup\\Scripts\\Provisioner --phase specialize",
      JoinOptions({{{"phase", "specialize|setup-onrequest|logon",
                     "the phase of Windows setup that runs this command (default: none)", Group::kRun}},
                   SourceOptionSpecs(),
                   DesiredOptionSpecs(),
                   ApplyOptionSpecs(),
                   PinOptionSpecs(),
                   {IntervalOption(), ApprovalOption(), MetricsOption(), WaitLockOption()},
                   OutputOptionSpecs()})};
  spec.common = "phase service with-wmco scope credentials subtract signer restart-services reboot output help";
  return {.spec = std::move(spec), .run = RunFirstBoot};
}

}  // namespace prov::cli
