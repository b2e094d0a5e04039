#include "provisioner/cli/apply_options.h"

#include "provisioner/cli/reporting_options.h"
#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/source/source_spec.h"

namespace prov::cli {
namespace {

// 3010: done, a restart is required (Windows Installer). 1001: cloudbase-init reboots and does not run the script
// again.
constexpr int kMsiReboot = 3010;
constexpr int kCloudbaseReboot = 1001;

}  // namespace

OptionSpec AllowDowngradeOption() {
  return {"allow-downgrade", "",
          "accept a payload with a lower generation than the one applied last, or a different payload with the same "
          "generation; with first-boot and service install, also accept an older program than the installed one",
          Group::kGuards};
}

OptionSpec AllowShrinkOption() {
  return {"allow-shrink", "",
          "accept a raw certificate file that lacks more than half of the certificates installed before",
          Group::kGuards};
}

OptionSpec ExitStyleOption() {
  return {"exit-style", "plain|msi|cloudbase",
          "exit code for \"done, reboot needed\": plain 0, msi 3010, cloudbase 1001 (default: plain)", Group::kRun};
}

OptionSpec AllowEmptyOption() {
  return {"allow-empty", "", "accept a source that sets nothing on a target where provisioner has set nothing",
          Group::kGuards};
}

bool RefusesEmpty(const Arguments& arguments) {
  return !arguments.Has("allow-empty") && !source::IsRemote(arguments.positional());
}

OptionGroup ApplyOptionSpecs() {
  return JoinOptions({{{"restart-services", "", "restart running services whose environment changed", Group::kRun},
                       AllowDowngradeOption(),
                       AllowEmptyOption(),
                       AllowShrinkOption(),
                       ExitStyleOption()},
                      RebootOptionSpecs(),
                      ClusterNodeOptionSpecs()});
}

Result<Ending> ParseEnding(const Arguments& arguments) {
  Ending out;
  const std::string style = PROV_TRY(OneOf(arguments, "exit-style"));
  if (style == "msi") out.reboot_exit = kMsiReboot;
  if (style == "cloudbase") out.reboot_exit = kCloudbaseReboot;
  out.reporting = PROV_TRY(ParseReboot(arguments));
  if (out.reporting.reboot.method == node::RebootMethod::kDrain) {
    return Fail(Code::kUsage,
                "drain waits for the cluster, which one run can't; give it to service install, pod or deploy, whose "
                "rounds ask again",
                "--reboot");
  }
  return out;
}

Result<node::ApplyOptions> ParseApplyOptions(const Arguments& arguments) {
  node::ApplyOptions out;
  out.allow_downgrade = arguments.Has("allow-downgrade");
  out.allow_shrink = arguments.Has("allow-shrink");
  out.restart_services = arguments.Has("restart-services");
  out.names_pool = arguments.Has("pool");
  return out;
}

Result<int> End(node::OpenNode& node, const Ending& ending, reconcile::RunReport& report) {
  if (!report.reboot_required || report.trial) return 0;
  PROV_TRY(fleet::RequestNodeReboot(node, ending.reporting, report.findings));
  return ending.reboot_exit;
}

}  // namespace prov::cli
