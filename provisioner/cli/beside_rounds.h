// What a node does beside its rounds: it tells its cluster what it has, writes metrics, and has itself boot again.
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
  std::optional<ClusterNode> cluster;  // nullopt: nobody is told
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
// What a node stores of a command line; nullopt: it names none of these. `with_reboot`: its --reboot is meant for each
// round, not for this run alone. Errors: usage.
Result<std::optional<std::vector<std::string>>> BesideWords(const Arguments& arguments, bool with_reboot);
Result<BesideRounds> StoredBeside(const std::vector<std::string>& words);

// To be called after each round, while the machine is closed. Nothing that fails here ends anything: `report` gets it,
// the same again and again.
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
