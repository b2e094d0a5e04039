// The process that keeps objects of a cluster current: rounds, watches that start one, and the Lease.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "provisioner/controller/leader.h"
#include "provisioner/controller/user_data_keeper.h"
#include "provisioner/source/source.h"

namespace prov::controller {

struct ControllerOrder {
  KeepOrder keep;
  source::SourceRequest source;             // watched if it is kube://
  source::SourceSpec cluster;               // where the Secret is: its kubeconfig, CA and proxy
  std::optional<source::KubeObject> lease;  // nullopt: this process alone keeps the Secret
  std::string identity;                     // as for Leader
  std::int64_t interval_seconds = 300;      // between two rounds without a change
};

struct ControllerReports {
  std::function<void(const KeepRound&)> on_round;
  std::function<void(const Error&)> on_error;  // of the Secret, the Lease or a watch; the next round tries again
};

// One round. Errors: those of KubeAccess::Open and UserDataKeeper::Keep; network, if another kept writing the Secret.
Result<KeepRound> KeepOnce(const ControllerOrder& order, const UserDataBaker& bake, const source::SourcePorts& ports);

// Rounds until this program is asked to stop. The ports are used by several threads.
void KeepOn(const ControllerOrder& order, const UserDataBaker& bake, const source::SourcePorts& ports,
            const ControllerReports& reports);

}  // namespace prov::controller
