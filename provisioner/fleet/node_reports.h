// What a node does after each round: it reports its state to its cluster, writes metrics, and requests reboots.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/fleet/own_state.h"
#include "provisioner/fleet/state_reporter.h"
#include "provisioner/node/node_reporting.h"
#include "provisioner/node/service_loop.h"

namespace prov::fleet {

class NodeReports {
 public:
  // `version` is this program's. `failed` is called for each error, also when the same one repeats.
  NodeReports(machine::Host& host, node::NodeReporting what, std::string version,
              std::function<void(const Error&)> failed);
  NodeReports(const NodeReports&) = delete;
  NodeReports& operator=(const NodeReports&) = delete;

  // For node::LoopOptions::after_round. A failure never ends the rounds.
  void AfterRound();

 private:
  Result<NodeState> Look();
  Result<void> WriteMetrics(const NodeState& state);
  void Check(const Result<void>& result) const;

  machine::Host& host_;
  node::NodeReporting what_;
  std::string version_;
  std::function<void(const Error&)> failed_;
  OwnState own_;
  std::optional<OperatorReboot> operator_;
  node::RoundReboots reboots_;
  std::optional<StateReporter> reporter_;
};

// node::Follow() with these reports after each round, and the cluster as approver if they say so. Failures are logged,
// once for each cause and day.
void FollowAndReport(machine::Host& host, node::LoopOptions options, const node::NodeReporting& reporting,
                     const std::string& version);

}  // namespace prov::fleet
