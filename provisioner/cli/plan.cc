// `plan`: what `apply` would do.
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/machine_command.h"

namespace prov::cli {
namespace {

constexpr int kDifferences = 4;

Result<Outcome> Run(const Arguments& arguments, machine::Host& host) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const node::ApplyOptions options = PROV_TRY(ParseApplyOptions(arguments));
  const node::Settings settings = PROV_TRY(ReadSettings(arguments));
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kRead));
  node::Node node = target.Node(host);
  reconcile::SessionReport report = PROV_TRY(node::PlanSettings(node, settings, options));
  const int exit = report.writes > 0 ? kDifferences : 0;
  return SessionOutcome(json, target.name, std::move(report), false, exit);
}

}  // namespace

Command PlanCommand() {
  Command command;
  command.spec = {
      "plan",
      "Show what apply would change on this machine; nothing is written.",
      "SOURCE",
      "Compares the registry and the certificate stores with what SOURCE wants. Exit code 4 tells that there\n"
      "are differences.",
      "  > provisioner plan payload\n"
      "  target  this machine\n"
      "    + create   certificate  ROOT 4F1A... CN=Corporate Root\n"
      "    + create   env          HTTP_PROXY  http://user:***@proxy.example.com:3128\n"
      "  2 writes to do\n"
      "  a reboot would be required: services and system processes see machine variables after it",
      {PoolOption(),
       NameOption(),
       {"allow-downgrade", "", "accept a payload of a lower generation than the one applied last"},
       OutputOption(),
       HelpOption()}};
  const std::vector<OptionSpec> shared = DesiredOptionSpecs();
  command.spec.options.insert(command.spec.options.begin() + 2, shared.begin(), shared.end());
  command.run = Run;
  return command;
}

}  // namespace prov::cli
