// `confirm`, `rollback` and `remove`: end or undo an apply.
#include "provisioner/node/rollback.h"

#include <algorithm>

#include "provisioner/cli/command.h"
#include "provisioner/cli/lock_wait.h"
#include "provisioner/cli/removal.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/wim_commit.h"
#include "provisioner/node/begin_run.h"
#include "provisioner/node/image_run.h"
#include "provisioner/node/trial.h"

namespace prov::cli {
namespace {

struct UndoOptions {
  bool json = false;
  TargetOptions target;
  bool all = false;            // for remove
  std::int64_t wait_lock = 0;  // seconds

  Result<Targets> Open(machine::Host& live) const {
    return WhenFree(live.clock(), wait_lock, [&] { return Targets::Open(target, live, images::TreeAccess::kWrite); });
  }
};

Result<UndoOptions> ParseUndoOptions(const Arguments& arguments) {
  UndoOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.target = ParseTargetOptions(arguments);
  out.all = arguments.Has("all");
  out.wait_lock = PROV_TRY(ParseWaitLock(arguments));
  return out;
}

Result<Outcome> RunConfirm(const Arguments& arguments, machine::Host& host) {
  const UndoOptions options = PROV_TRY(ParseUndoOptions(arguments));
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, options.wait_lock));
  node::OpenNode node = target.Node(host);
  reconcile::RunReport report = PROV_TRY(node::ConfirmTrial(node, PROV_TRY(node::BeginRun(node))));
  return ReportOutcome(options.json, target.name, std::move(report), true, 0);
}

Result<reconcile::RunReport> RollBackMachine(machine::Host& host, std::int64_t wait_lock) {
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, wait_lock));
  node::OpenNode node = target.Node(host);
  return node::RollBackMachine(node);
}

Result<Outcome> RunRollback(const Arguments& arguments, machine::Host& live) {
  const UndoOptions options = PROV_TRY(ParseUndoOptions(arguments));
  Targets targets = PROV_TRY(options.Open(live));
  std::vector<TargetReport> reports;
  for (const auto& [host, image] : targets.All()) {
    reports.push_back({host->Name(), image != nullptr ? PROV_TRY(node::RollBackImage(*image))
                                                      : PROV_TRY(RollBackMachine(*host, options.wait_lock))});
  }
  PROV_TRY(CommitTargets(options.target, targets, reports));
  return ReportsOutcome(options.json, std::move(reports), true, 0);
}

Result<Outcome> PlanRemove(const UndoOptions& options, machine::Host& live) {
  Targets targets = PROV_TRY(Targets::Open(options.target, live, images::TreeAccess::kPlan));
  std::vector<TargetReport> reports;
  for (const auto& [host, image] : targets.All()) {
    reports.push_back({host->Name(), image != nullptr ? PROV_TRY(node::PlanRemovalFromImage(*image, options.all))
                                                      : PROV_TRY(PlanRemovalFromHost(*host, options.all))});
  }
  const bool differs = std::ranges::any_of(reports, [](const TargetReport& one) { return one.report.writes > 0; });
  return ReportsOutcome(options.json, std::move(reports), false, differs ? kExitDifferences : 0);
}

Result<Outcome> RunRemove(const Arguments& arguments, machine::Host& live) {
  const UndoOptions options = PROV_TRY(ParseUndoOptions(arguments));
  if (arguments.Has("dry-run")) return PlanRemove(options, live);
  Targets targets = PROV_TRY(options.Open(live));
  std::vector<TargetReport> reports;
  for (const auto& [host, image] : targets.All()) {
    reports.push_back({host->Name(), image != nullptr
                                         ? PROV_TRY(node::RemoveFromImage(*image, options.all))
                                         : PROV_TRY(RemoveFromHost(*host, options.all, options.wait_lock))});
  }
  PROV_TRY(CommitTargets(options.target, targets, reports));
  return ReportsOutcome(options.json, std::move(reports), true, 0);
}

Command Make(std::string_view name, std::string_view summary, std::string_view details, std::string_view example,
             Result<Outcome> (*run)(const Arguments&, machine::Host&), const OptionGroup& options = {}) {
  CommandSpec spec = {name,    summary, "",
                      details, example, JoinOptions({options, {WaitLockOption()}, OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = run};
}

}  // namespace

Command ConfirmCommand() {
  return Make("confirm", "Make an apply --try permanent.", "",
              "  > provisioner confirm\n"
              "  target  this machine\n"
              "    + created  env          HTTP_PROXY  http://proxy.example.com:3128",
              RunConfirm);
}

Command RollbackCommand() {
  return Make(
      "rollback", "Undo the last apply, and hold until the source changes.",
      "Undoes an open trial, or else the last run that changed this machine (also a run of a payload's script).\n"
      "Values that others changed since then stay. reconcile then changes nothing until its source changes or\n"
      "apply is run.",
      "  > provisioner rollback\n"
      "  target  this machine\n"
      "    ~ updated  env          HTTP_PROXY  http://proxy.example.com:3128 -> http://old:3128\n"
      "  1 write done",
      RunRollback, TargetOptionSpecs());
}

Command RemoveCommand() {
  const OptionSpec all = {"all", "",
                          "also remove the service, the installed program and its state; from an image also the "
                          "payload, the line in SetupComplete.cmd and the command in the answer file",
                          Group::kTarget};
  const OptionSpec dry = {"dry-run", "", "show what would go and what would stay; nothing is written", Group::kTarget};
  return Make(
      "remove", "Remove the settings of provisioner and restore the earlier values.",
      "Undoes everything that provisioner or a payload's script set, and forgets the source. Values that others\n"
      "changed since then, and what was there before, stay and are listed. The exit code of --dry-run is 4 if\n"
      "something would go.",
      "  > provisioner remove --all\n"
      "  target  this machine\n"
      "    - deleted  env          HTTP_PROXY  http://proxy.example.com:3128  (no longer wanted)\n"
      "      kept     env          NO_PROXY  localhost  (was there before us; stays)\n"
      "    - deleted  service      Provisioner\n"
      "  2 writes done",
      RunRemove, JoinOptions({TargetOptionSpecs(), {all, dry}}));
}

}  // namespace prov::cli
