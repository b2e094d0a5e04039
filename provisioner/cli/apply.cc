// `apply`: applies the settings of a source to this machine; with --try as a trial.
#include "provisioner/node/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/plan_request.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/cli/wim_commit.h"
#include "provisioner/node/image_run.h"
#include "provisioner/node/trial.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLongestTrial = 86400;

struct ApplyCommandOptions {
  PlanRequest plan;
  Ending ending;
  std::optional<std::int64_t> trial_seconds;
  std::vector<std::string> probes;  // URLs
  std::int64_t wait_lock = 0;       // seconds
  bool verbose = false;
};

Result<ApplyCommandOptions> ParseApplyCommandOptions(const Arguments& arguments) {
  ApplyCommandOptions out;
  out.plan = PROV_TRY(ParsePlanRequest(arguments));
  out.ending = PROV_TRY(ParseEnding(arguments));
  out.wait_lock = PROV_TRY(ParseWaitLock(arguments));
  out.verbose = arguments.Has("verbose");
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

// The machine is closed while the trial waits, so that `confirm` can open it.
Result<Outcome> Try(const ApplyCommandOptions& options, machine::Host& host, const node::DerivedSettings& derived) {
  const bool json = options.plan.json;
  node::TrialOptions trial{*options.trial_seconds, options.probes, {}};
  trial.open = [&](std::int64_t seconds) -> Result<std::unique_ptr<machine::OpenMachine>> {
    return PROV_TRY(OpenTarget(host, machine::Access::kWrite, std::max(options.wait_lock, seconds))).machine;
  };
  if (!json) {
    trial.on_wait = [&](Findings& findings) { PrintFindings(stderr, std::exchange(findings, {}), options.verbose); };
  }
  node::TrialReport tried = PROV_TRY(node::RunTrial(host, derived, options.plan.apply, trial));
  return ReportOutcome(json, host.Name(), std::move(tried.run), tried.stays, tried.stays ? 0 : kExitDifferences);
}

Result<Outcome> ApplyToImages(const ApplyCommandOptions& options, machine::Host& live) {
  const PlanRequest& plan = options.plan;
  Targets targets = PROV_TRY(WhenFree(live.clock(), options.wait_lock,
                                      [&] { return Targets::Open(plan.target, live, images::TreeAccess::kWrite); }));
  const node::DerivedSettings derived = PROV_TRY(plan.Derive(live, targets.Hosts()));
  std::vector<TargetReport> reports;
  for (const auto& [host, image] : targets.All()) {
    reports.push_back({host->Name(), PROV_TRY(node::ApplyToImage(*image, derived, plan.apply, plan.image))});
  }
  PROV_TRY(CommitTargets(plan.target, targets, reports));
  return ReportsOutcome(plan.json, std::move(reports), true, 0);
}

Result<Outcome> RunApply(const Arguments& arguments, machine::Host& host) {
  const ApplyCommandOptions options = PROV_TRY(ParseApplyCommandOptions(arguments));
  if (options.plan.target.NamesImage()) return ApplyToImages(options, host);
  const node::DerivedSettings derived = PROV_TRY(options.plan.Derive(host, {&host}));
  if (options.trial_seconds) return Try(options, host, derived);
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, options.wait_lock));
  node::OpenNode node = target.Node(host);
  reconcile::RunReport report = PROV_TRY(node::ApplyToMachine(node, derived, options.plan.apply));
  const int exit = PROV_TRY(End(node, options.ending, report));
  return ReportOutcome(options.plan.json, target.name, std::move(report), true, exit);
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
           PinOptionSpecs(),
           {{"try", "SECONDS", "roll everything back unless provisioner confirm is run within this time",
             Group::kGuards},
            {"probe", "URL",
             "with --try: request this URL through the new proxy with the new certificates; a failure rolls everything "
             "back; may be repeated",
             Group::kGuards, true},
            WaitLockOption()},
           OutputOptionSpecs()})};
  spec.common =
      "service with-wmco scope credentials subtract root wim install exe try probe restart-services reboot output help";
  return {.spec = std::move(spec), .run = RunApply};
}

}  // namespace prov::cli
