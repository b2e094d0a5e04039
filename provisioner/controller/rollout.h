// The coordinator of a rollout: approves new settings for one wave of nodes after the other, and keeps in the cluster
// how far it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/controller/leader.h"
#include "provisioner/fleet/rollout_nodes.h"
#include "provisioner/fleet/rollout_record.h"
#include "provisioner/source/kube_access.h"

namespace prov::controller {

// The Lease that keeps a second coordinator out.
inline constexpr std::string_view kRolloutLease = "egress-provisioner-rollout";

struct RolloutRequest {
  std::string name_space;     // of the fleet's pods
  std::string identity;       // of this process, as for Leader
  fleet::RolloutOrder order;  // `previous` is taken from the cluster
  node::Approval approval;    // what approved nodes are told; the attempt is counted here
  std::string settings;       // node::SettingsJson of the new settings
  bool has_choices = false;   // `order` and `approval` were chosen: an open rollout with others is refused (usage)
  bool replaces = false;      // an open or held rollout of other settings is ended first
  // Called with each error that is waited for; empty: nobody is told.
  std::function<void(const Error&)> waits_for = {};
  // Asked before a rollout begins, when no other coordinator can; empty: it may.
  std::function<Result<bool>(const fleet::ConfirmedSecret& now)> may_begin = {};
};

// What is known after a step.
struct RolloutView {
  fleet::RolloutRecord record;
  std::vector<fleet::RolloutNode> nodes;
};

// Begins the rollout, or goes on with the one of the same settings that the cluster keeps, and calls `report` after
// each step, until it is done, failed or held. `access` opens the cluster for each step. What the API server does not
// answer is asked again for ten minutes, and what it forbids for two. Errors: lock (another coordinator runs,
// a rollout of other settings is under way, or it may not begin); interrupted; those of KubeClient and of reading what
// it keeps.
Result<RolloutView> RunRollout(const RolloutRequest& request, const source::KubeAccess& access,
                               const source::SourcePorts& ports, const std::function<void(const RolloutView&)>& report);

// Stops approvals, or lets them go on. Errors: not-found (there is no rollout under way, or none that is held); those
// of KubeClient.
Result<fleet::RolloutRecord> HoldRollout(const std::string& name_space, const source::KubeAccess& access,
                                         const source::SourcePorts& ports);
Result<fleet::RolloutRecord> ResumeRollout(const std::string& name_space, const source::KubeAccess& access,
                                           const source::SourcePorts& ports);
// Ends the rollout that is open as a failed one, because the source has other settings: nodes that have not confirmed
// its settings lose their approval. Whoever runs it carries that out. Errors: those of HoldRollout.
Result<fleet::RolloutRecord> SupersedeRollout(const std::string& name_space, const source::KubeAccess& access,
                                              const source::SourcePorts& ports);

}  // namespace prov::controller
