// `plan`: prints what `apply` would do.
#include <algorithm>

#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/plan_request.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/node/apply.h"
#include "provisioner/node/image_run.h"

namespace prov::cli {
namespace {

Result<reconcile::RunReport> PlanMachine(machine::Host& host, const node::DerivedSettings& derived,
                                         const node::ApplyOptions& options) {
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kRead));
  node::OpenNode node = target.Node(host);
  return node::PlanSettings(node, derived, options);
}

Result<Outcome> RunPlan(const Arguments& arguments, machine::Host& live) {
  const PlanRequest options = PROV_TRY(ParsePlanRequest(arguments));
  PROV_TRY(ParseWaitLock(arguments));
  Targets targets = PROV_TRY(Targets::Open(options.target, live, images::TreeAccess::kPlan));
  const node::DerivedSettings derived = PROV_TRY(options.Derive(live, targets.Hosts()));
  std::vector<TargetReport> reports;
  for (const auto& [host, image] : targets.All()) {
    reports.push_back({host->Name(), image != nullptr
                                         ? PROV_TRY(node::PlanImage(*image, derived, options.apply, options.image))
                                         : PROV_TRY(PlanMachine(*host, derived, options.apply))});
  }
  const bool differs = std::ranges::any_of(reports, [](const TargetReport& one) { return one.report.writes > 0; });
  if (differs) PROV_TRY(targets.CheckCommit());  // apply writes nothing if nothing differs
  return ReportsOutcome(options.json, std::move(reports), false, differs ? kExitDifferences : 0);
}

// What changes nothing here, and is taken so that the words of an apply to an image are those of its plan.
OptionGroup ApplyOnlyOptionSpecs() {
  return {{"allow-empty", "", "for apply; plan itself refuses no source that sets nothing", Group::kGuards},
          {"wait-lock", "SECONDS", "for apply; plan itself waits for no other run", Group::kRun}};
}

}  // namespace

Command PlanCommand() {
  CommandSpec spec = {
      "plan",
      "Show what apply would change on this machine; nothing is written.",
      "SOURCE",
      "Compares the registry and the certificate stores with SOURCE. The exit code is 4 if there are differences.\n"
      "For an image, plan refuses what apply would refuse, with the same code, except a source that sets nothing.",
      "  > provisioner plan payload\n"
      "  target  this machine\n"
      "    + create   certificate  ROOT 4F1A... CN=Corporate Root\n"
      "    + create   env          HTTP_PROXY  http://user:***@proxy.example.com:3128\n"
      "  2 writes to do\n"
      "  a reboot would be required: services and system processes see machine variables after it",
      JoinOptions({TargetOptionSpecs(),
                   ImageOptionSpecs(),
                   SourceOptionSpecs(),
                   DesiredOptionSpecs(),
                   PinOptionSpecs(),
                   {AllowDowngradeOption(), AllowShrinkOption()},
                   ApplyOnlyOptionSpecs(),
                   OutputOptionSpecs()})};
  spec.common = "service with-wmco scope credentials subtract root wim output help";
  return {.spec = std::move(spec), .run = RunPlan};
}

}  // namespace prov::cli
