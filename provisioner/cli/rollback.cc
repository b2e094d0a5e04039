// `confirm`, `rollback` and `remove`: what ends or undoes an apply.
#include "provisioner/cli/machine_command.h"
#include "provisioner/node/event_source.h"
#include "provisioner/node/events.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/scrub.h"

namespace prov::cli {
namespace {

using Step = Result<reconcile::SessionReport> (*)(node::Node&);

Result<Outcome> RunStep(const Arguments& arguments, machine::Host& host, Step step, machine::Event event) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite));
  node::Node node = target.Node(host);
  reconcile::SessionReport report = PROV_TRY(step(node));
  node::LogRun(host, report, event);
  return SessionOutcome(json, target.name, std::move(report), true, 0);
}

Result<Outcome> RunConfirm(const Arguments& arguments, machine::Host& host) {
  return RunStep(arguments, host, node::ConfirmTrial, machine::Event::kApplied);
}

Result<Outcome> RunRollback(const Arguments& arguments, machine::Host& host) {
  return RunStep(arguments, host, node::TakeBack, machine::Event::kRolledBack);
}

Result<Outcome> RunRemove(const Arguments& arguments, machine::Host& host) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const bool all = arguments.Has("all");
  // The service would hold the lock now and then, and must not run while its program goes.
  if (all) PROV_TRY(host.services().Remove(node::kServiceName));
  reconcile::SessionReport report;
  std::string name;
  {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite));
    name = target.name;
    node::Node node = target.Node(host);
    report = PROV_TRY(node::RemoveSettings(node));
    PROV_TRY(node::ScrubSecretFiles(node, report.findings));
    node::LogRun(host, report, machine::Event::kRemoved);
    if (all) PROV_TRY(node::UnregisterEventSource(node));
  }
  if (all) PROV_TRY(node::RemoveProgram(host));
  return SessionOutcome(json, name, std::move(report), true, 0);
}

Command Make(std::string_view name, std::string_view summary, std::string_view details, std::string_view example,
             Result<Outcome> (*run)(const Arguments&, machine::Host&)) {
  Command command;
  command.spec = {name, summary, "", details, example, {OutputOption(), HelpOption()}};
  command.run = run;
  return command;
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
  return Make("rollback", "Take the last apply back, and hold until the source changes.",
              "Takes back an open trial or else the last run that changed this machine; what others changed since\n"
              "stays. reconcile then leaves the machine alone until its source says something else or apply is called.",
              "  > provisioner rollback\n"
              "  target  this machine\n"
              "    ~ updated  env          HTTP_PROXY  http://proxy.example.com:3128 -> http://old:3128\n"
              "  1 write done",
              RunRollback);
}

Command RemoveCommand() {
  Command command = Make("remove", "Bring this machine back to what was there before.",
                         "Takes back everything that is ours and forgets the source; what others changed since, and\n"
                         "certificates that were there before, stay.",
                         "  > provisioner remove --all\n"
                         "  target  this machine\n"
                         "    - deleted  env          HTTP_PROXY  http://proxy.example.com:3128  (no longer wanted)\n"
                         "  1 write done",
                         RunRemove);
  command.spec.options.insert(command.spec.options.begin(),
                              {"all", "", "also remove the service, the installed program and its state"});
  return command;
}

}  // namespace prov::cli
