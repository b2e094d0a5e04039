// `apply`: applies the settings of a source to this machine; with --try as a trial.
#include "provisioner/node/apply.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/plan_request.h"
#include "provisioner/cli/session_output.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/cli/wim_commit.h"
#include "provisioner/node/begin_run.h"
#include "provisioner/node/events.h"
#include "provisioner/node/image_run.h"
#include "provisioner/node/probe.h"
#include "provisioner/node/rollback.h"
#include "provisioner/node/trial.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLongestTrial = 86400;
constexpr std::int64_t kTakeBackWait = 60;

struct ApplyCommandOptions {
  PlanRequest plan;
  Ending ending;
  std::optional<std::int64_t> trial_seconds;
  std::vector<std::string> probes;  // URLs
  std::int64_t wait_lock = 0;       // seconds
};

Result<ApplyCommandOptions> ParseApplyCommandOptions(const Arguments& arguments) {
  ApplyCommandOptions out;
  out.plan = PROV_TRY(ParsePlanRequest(arguments));
  out.ending = PROV_TRY(ParseEnding(arguments));
  out.wait_lock = PROV_TRY(ParseWaitLock(arguments));
  out.plan.apply.refuse_empty = RefusesEmpty(arguments);
  out.probes = arguments.All("probe");
  if (arguments.Has("probe") && !arguments.Has("try")) {
    return Fail(Code::kUsage, "needs --try SECONDS: a failed probe rolls the trial back", "--probe");
  }
  if (!arguments.Has("try")) return out;
  out.trial_seconds = PROV_TRY(Number(arguments, "try", 0));
  if (*out.trial_seconds >= 1 && *out.trial_seconds <= kLongestTrial) return out;
  return Fail(Code::kUsage, fmt::format("takes 1 to {} seconds", kLongestTrial), "--try");
}

// Runs the probes of a trial. They end with the trial, at `end` (Unix time).
Result<void> ProbeUntil(const std::vector<std::string>& urls, machine::Host& host, const node::Settings& settings,
                        std::int64_t end, Findings& findings) {
  node::ProbeOptions options;
  options.trusted = settings.options.trusted;
  options.total_seconds = std::clamp<std::int64_t>(end - host.clock().NowUnix(), 1, options.total_seconds);
  return node::ProbeAll(host, settings.config, urls, options, findings);
}

// Closes the machine while the trial waits, so that `confirm` can open it.
Result<Outcome> Try(const ApplyCommandOptions& options, std::int64_t seconds, machine::Host& host,
                    const node::DerivedSettings& derived) {
  const bool json = options.plan.json;
  PROV_TRY(node::CheckProbeUrls(options.probes));
  std::string name;
  reconcile::SessionReport report;
  std::optional<node::Trial> trial;  // loaded now: `confirm` may end the trial while the probes run
  const std::int64_t end = host.clock().NowUnix() + seconds;
  {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, options.wait_lock));
    name = target.name;
    node::OpenNode node = target.Node(host);
    report = PROV_TRY(node::TrySettings(node, PROV_TRY(node::BeginRun(node)), derived, options.plan.apply, seconds));
    trial = PROV_TRY(node::LoadTrial(node.machine.state));
  }
  const Result<void> probed = ProbeUntil(options.probes, host, derived.settings, end, report.findings);
  if (!report.trial) {  // nothing differs: there is no trial to take back
    PROV_TRY(probed);
    return SessionOutcome(json, name, std::move(report), true, 0);
  }
  if (probed) {
    AddInfo(report.findings, "trial",
            fmt::format(
                "applied on trial for {} s ({} s left); run provisioner confirm within that time to make it permanent",
                seconds, std::max<std::int64_t>(0, end - host.clock().NowUnix())));
    if (!json) PrintFindings(stderr, std::exchange(report.findings, {}));
  }
  Result<bool> confirmed = false;
  if (probed && trial) confirmed = node::AwaitConfirmation(host, *trial);
  if (!confirmed.value_or(false)) {
    // Roll back here: a round of the service must not keep unconfirmed settings in place.
    const Target target =
        PROV_TRY(OpenTarget(host, machine::Access::kWrite, std::max(options.wait_lock, kTakeBackWait)));
    node::OpenNode node = target.Node(host);
    node::BegunRun run = PROV_TRY(node::BeginRun(node));
    if (run.trial) PROV_TRY(node::Rollback(node, std::move(run)));
    PROV_TRY(probed);
    PROV_TRY(confirmed);
    AddWarning(report.findings, "trial-expired",
               "the trial was not confirmed in time, so everything was rolled back; run apply again, then provisioner "
               "confirm");
    report.writes = 0;
    report.reboot_required = false;
  }
  report.trial = false;
  return SessionOutcome(json, name, std::move(report), *confirmed, *confirmed ? 0 : kExitDifferences);
}

Result<Outcome> ApplyToImages(const ApplyCommandOptions& options, machine::Host& live) {
  const PlanRequest& plan = options.plan;
  Targets targets = PROV_TRY(WhenFree(live.clock(), options.wait_lock,
                                      [&] { return Targets::Open(plan.target, live, images::TreeAccess::kWrite); }));
  const node::DerivedSettings derived = PROV_TRY(plan.Derive(live, targets.Hosts()));
  std::vector<TargetReport> reports;
  for (machine::Host* host : targets.Hosts()) {
    machine::ImageHost& image = *Targets::ImageOf(*host);
    reports.push_back({image.Name(), PROV_TRY(node::ApplyToImage(image, derived, plan.apply, plan.image))});
  }
  PROV_TRY(CommitTargets(plan.target, targets, reports));
  return SessionsOutcome(plan.json, std::move(reports), true, 0);
}

Result<Outcome> RunApply(const Arguments& arguments, machine::Host& host) {
  const ApplyCommandOptions options = PROV_TRY(ParseApplyCommandOptions(arguments));
  if (options.plan.target.NamesImage()) return ApplyToImages(options, host);
  const node::DerivedSettings derived = PROV_TRY(options.plan.Derive(host, {&host}));
  if (options.trial_seconds) return Try(options, *options.trial_seconds, host, derived);
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, options.wait_lock));
  node::OpenNode node = target.Node(host);
  reconcile::SessionReport report =
      PROV_TRY(node::ApplySettings(node, PROV_TRY(node::BeginRun(node)), derived, options.plan.apply));
  PROV_TRY(node::WarnOfStoredSource(node, derived, report.findings));
  node::LogRun(host, report);
  const int exit = PROV_TRY(End(node, options.ending, report));
  return SessionOutcome(options.plan.json, target.name, std::move(report), true, exit);
}

}  // namespace

Command ApplyCommand() {
  CommandSpec spec = {
      "apply",
      "Apply the settings of a source to this machine. A second run writes nothing.",
      "SOURCE",
      "Changes are made in this order: certificates, machine variables, WinHTTP, services. Earlier values are kept\n"
      "for remove and rollback. Values that others set stay. The next run finishes or rolls back an interrupted one.\n"
      "Running services see their new environment after a restart. Other programs see machine variables after the\n"
      "next boot.",
      "  > provisioner apply payload --service containerd\n"
      "  target  this machine\n"
      "    + created  certificate  ROOT 4F1A... CN=Corporate Root\n"
      "    ~ updated  env          HTTP_PROXY  http://old:3128 -> http://proxy.example.com:3128\n"
      "  2 writes done\n"
      "  reboot required: services and system processes see machine variables after the next boot",
      JoinOptions(
          {TargetOptionSpecs(),
           ImageOptionSpecs(),
           SourceOptionSpecs(),
           DesiredOptionSpecs(),
           ApplyOptionSpecs(),
           {SignerOption(),
            {"try", "SECONDS", "roll everything back unless provisioner confirm is run within this time",
             Group::kGuards},
            {"probe", "URL",
             "with --try: request this URL through the new proxy with the new certificates; a failure rolls everything "
             "back; may be repeated",
             Group::kGuards, true},
            WaitLockOption()},
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunApply};
}

}  // namespace prov::cli
