// The process that keeps objects of a cluster current: rounds, watches that start one, and the Lease.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/controller/leader.h"
#include "provisioner/controller/object_keeper.h"
#include "provisioner/controller/rollout_keeper.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/source.h"

namespace prov::controller {

// An object to keep, and what to keep in it.
struct Kept {
  KeepOrder order;
  Baker bake;
};

struct ControllerOrder {
  std::vector<Kept> kept;
  source::SourceRequest source;                   // watched if it is kube://
  source::SourceSpec cluster;                     // where the objects are: its kubeconfig, context, CA and proxy
  std::optional<source::KubeObject> lease;        // nullopt: this process alone keeps them
  std::string identity;                           // as for Leader
  std::int64_t interval_seconds = 300;            // between two rounds without a change
  std::optional<RolloutKeepOrder> rollouts = {};  // nullopt: this process runs none
};

struct ControllerReports {
  std::function<void(const KeepOrder& of, const KeepRound&)> on_round;
  std::function<void(const Error&)> on_error;  // of an object, the Lease or a watch; the next round tries again
  std::function<void(const RolloutView&)> on_rollout;
  std::function<void(const Error&)> on_rollout_error;  // the next look tries again
};

// The cluster of the objects: that of a kube:// source, else the current context's. Errors: those of KubeAccess::Open.
Result<source::KubeAccess> OpenCluster(const ControllerOrder& order, std::optional<int> timeout_seconds = {});

// One round for each of the objects, in their order. The failure of one is also what ObjectKeeper::Keep returns, and
// network, if another kept writing the object. Errors: those of KubeAccess::Open.
Result<std::vector<KeepRound>> KeepOnce(const ControllerOrder& order, const source::SourcePorts& ports);

// Rounds, and rollouts beside them, until this program is asked to stop. The ports, and what bakes and reads settings,
// are used by several threads.
void KeepOn(const ControllerOrder& order, const source::SourcePorts& ports, const ControllerReports& reports);

}  // namespace prov::controller
