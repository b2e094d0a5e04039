// How to request a needed reboot: --reboot and its related options.
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
// Checks that --reboot-window goes with --reboot, and that rounds at the distance of --interval can meet the window.
// nullopt: not given. Errors: usage.
Result<std::optional<node::MaintenanceWindow>> CheckRebootWindow(const Arguments& arguments);
// Errors: usage.
Result<RebootChoice> ParseReboot(const Arguments& arguments);

// Requests a reboot if it is needed, in the chosen way, once in each boot; the outcome is a finding. Errors: those of
// the ports and of the cluster's API.
Result<void> AskForReboot(node::OpenNode& node, const RebootChoice& choice, Findings& findings);

}  // namespace prov::cli
