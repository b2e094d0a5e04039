// What a node does besides its rounds: it reports its state to its cluster, writes metrics, and requests reboots.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/reboot_choice.h"
#include "provisioner/fleet/own_state.h"
#include "provisioner/fleet/teller.h"

namespace prov::cli {

struct BesideRounds {
  std::optional<ClusterNode> cluster;  // nullopt: no cluster gets reports
  std::string metrics;                 // the file; "": none
  RebootChoice reboot;

  bool IsNothing() const { return !cluster && metrics.empty() && !reboot.way; }
};

OptionSpec MetricsOption();
std::vector<OptionSpec> BesideOptionSpecs();  // with it
// --metrics; "": not given. Errors: usage.
Result<std::string> ParseMetrics(const Arguments& arguments);
// Errors: usage.
Result<BesideRounds> ParseBeside(const Arguments& arguments);
// The options of a command line that a node stores; nullopt: none of these was given. `with_reboot`: --reboot applies
// to each round, not to this run alone. Errors: usage.
Result<std::optional<std::vector<std::string>>> BesideWords(const Arguments& arguments, bool with_reboot);
Result<BesideRounds> StoredBeside(const std::vector<std::string>& words);

// To be called after each round, while the machine is closed. Failures here never end the loop: they go to `report`,
// the same one again and again.
class BesideWork {
 public:
  BesideWork(machine::Host& host, BesideRounds what, std::function<void(const Error&)> report);

  void Do();

 private:
  Result<fleet::NodeState> Look();
  fleet::PauseMemory Memory();
  void AskWhenDue();
  Result<void> AskForReboot();
  void Report(const Result<void>& result) const;

  machine::Host& host_;
  BesideRounds what_;
  std::function<void(const Error&)> report_;
  fleet::OwnState own_;
  std::optional<fleet::Teller> teller_;
  std::int64_t ask_not_before_ = 0;  // Unix time: after a request for a reboot that failed
};

}  // namespace prov::cli
