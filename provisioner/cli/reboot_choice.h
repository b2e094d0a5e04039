// How a reboot that is needed is asked for: --reboot and what goes with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/cluster_node.h"
#include "provisioner/node/maintenance_window.h"
#include "provisioner/node/reboot_request.h"

namespace prov::cli {

struct RebootChoice {
  std::optional<node::RebootWay> way;             // nullopt: never
  std::optional<node::MaintenanceWindow> window;  // of RebootWay::kNow; nullopt: at any time
  std::optional<ClusterNode> node;                // of RebootWay::kAnnotate

  bool MayAskAt(std::int64_t unix_seconds) const { return way && (!window || window->Contains(unix_seconds)); }
};

std::vector<OptionSpec> RebootOptionSpecs();  // --reboot, --reboot-window
// Whether --reboot-window goes with --reboot and can be met by rounds that --interval keeps apart. nullopt: not given.
// Errors: usage.
Result<std::optional<node::MaintenanceWindow>> CheckRebootWindow(const Arguments& arguments);
// Errors: usage.
Result<RebootChoice> ParseReboot(const Arguments& arguments);

// Asks for it where it is needed, as chosen, once in each boot; what came of it is a finding. Errors: those of the
// ports and of the cluster's API.
Result<void> AskForReboot(node::OpenNode& node, const RebootChoice& choice, Findings& findings);

}  // namespace prov::cli
