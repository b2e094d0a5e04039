// Runs rollouts by itself while a ConfigMap of the cluster asks for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/controller/rollout.h"

namespace prov::controller {

// The settings that a rollout brings to the nodes.
struct RolloutSettings {
  std::string digest;  // egress::SettingsDigest
  std::string json;    // node::SettingsJson
  Findings findings = {};
};

enum class RolloutDue {
  kNothing,    // the settings are confirmed
  kRun,        // begin the rollout of the settings, or go on with it
  kSupersede,  // one of other settings is open, which the source no longer has: end it as a failed one
  kFinish,     // one that failed is not taken back everywhere yet
  kHeld,       // a person holds one
  kFailed,     // that of these settings failed, and is not begun again without a person
};

// `digest`: of the source's settings; `confirmed`: of those that a rollout has confirmed last, or "". Pure.
RolloutDue DueOf(const std::string& digest, const std::string& confirmed,
                 const std::optional<fleet::RolloutRecord>& record);

struct RolloutKeepOrder {
  std::string name_space;                             // of the fleet's pods
  std::string identity;                               // of this process, as for Leader
  std::function<Result<RolloutSettings>()> settings;  // reads the source
  std::int64_t interval_seconds = 300;                // between two readings of a source that is not known to change
};

class RolloutKeeper {
 public:
  using Report = std::function<void(const RolloutView&)>;

  // `report` gets each step, and with no nodes a rollout that waits for a person.
  RolloutKeeper(RolloutKeepOrder order, const source::SourcePorts& ports, Report report)
      : order_(std::move(order)), ports_(ports), report_(std::move(report)) {}

  // Looks what is due, and does it to its end. `changed`: whether the source may have changed since this was asked
  // last and answered yes; asked also while a rollout runs, which ends when the source has other settings. Errors:
  // those of RunRollout, ParseRolloutConfigMap and reading the source.
  Result<void> Look(const source::KubeAccess& access, const std::function<bool()>& changed);

 private:
  // False: nothing is left to do.
  Result<bool> Step(const source::KubeAccess& access);
  Result<void> Run(const source::KubeAccess& access, const RolloutRequest& request);
  Result<RolloutSettings> Settings();  // of the source now
  void EndIfSuperseded(const source::KubeAccess& access, const RolloutView& view);

  RolloutKeepOrder order_;
  source::SourcePorts ports_;
  Report report_;
  std::function<bool()> changed_;
  std::optional<Result<RolloutSettings>> settings_;  // as read last
  std::int64_t read_at_ = 0;                         // Unix time
};

}  // namespace prov::controller
