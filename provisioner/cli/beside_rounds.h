// What a node does besides its rounds: it reports its state to its cluster, writes metrics, and requests reboots.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "provisioner/cli/reboot_choice.h"
#include "provisioner/fleet/own_state.h"
#include "provisioner/fleet/teller.h"

namespace prov::cli {

// To be called after each round, while the machine is closed. Failures here never end the loop: they go to `report`,
// the same one again and again.
class BesideWork {
 public:
  BesideWork(machine::Host& host, node::NodeReporting what, std::function<void(const Error&)> report);

  void Do();

 private:
  Result<fleet::NodeState> Look();
  fleet::PauseMemory Memory();
  void AskWhenDue();
  Result<void> AskForReboot();
  void Report(const Result<void>& result) const;

  machine::Host& host_;
  node::NodeReporting what_;
  std::function<void(const Error&)> report_;
  fleet::OwnState own_;
  std::optional<fleet::Teller> teller_;
  std::int64_t ask_not_before_ = 0;  // Unix time: after a request for a reboot that failed
};

}  // namespace prov::cli
