// The coordinator of reboots: drains the nodes that wait for one, a few at a time, approves their reboots, and gives
// them back when they have returned. All that it goes by is in the Nodes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/fleet/reboot_nodes.h"
#include "provisioner/source/kube_access.h"

namespace prov::controller {

// The Lease that keeps a second coordinator out.
inline constexpr std::string_view kRebootLease = "egress-provisioner-reboot";

struct RebootRequest {
  std::string name_space;  // of the fleet's pods
  std::string identity;    // of this process, as for Leader
  fleet::RebootOrder order;
  // Called with each error that is waited for; empty: nobody is told.
  std::function<void(const Error&)> waits_for = {};
};

// What is known after a step.
struct RebootView {
  std::vector<fleet::RebootNode> nodes;  // as they were before it
  fleet::RebootProgress progress;
  bool rollout_open = false;  // settings are rolled out, so no node is begun
  bool is_over = false;
};

// Steps, each with a call of `report`, until no node waits that can be begun, and each that has a turn is done or
// failed. `access` opens the cluster for each step; failures are waited for as those of a rollout (Patience). Errors:
// lock (another coordinator runs); interrupted; those of KubeClient and of reading what it answers. Each names the
// nodes that it may leave cordoned.
Result<RebootView> RunReboots(const RebootRequest& request, const source::KubeAccess& access,
                              const source::SourcePorts& ports, const std::function<void(const RebootView&)>& report);

}  // namespace prov::controller
