// Decides whether a pod or the boot service makes the next round on a node that has both.
#pragma once

#include <cstdint>

#include "provisioner/node/first_boot.h"
#include "provisioner/node/service_loop.h"

namespace prov::node {

enum class Turn {
  kPod,
  kService,
  kNone,  // the boot service runs with settings that were delivered once, and follows nothing
};

// The pause between failing upgrades of the boot service, as each attempt stops the service for a while: an hour, and
// twice as long after each further failure, up to a day.
class UpgradePause {
 public:
  bool IsOver(std::int64_t now) const { return now >= until_ || until_ - now > seconds_; }  // or the clock was set back
  void Begin(std::int64_t now);

  static constexpr std::int64_t kFirst = 3600;
  static constexpr std::int64_t kLongest = 86400;

 private:
  std::int64_t seconds_ = 0;  // 0: none has failed yet
  std::int64_t until_ = 0;    // Unix time
};

// Decides who makes the next round, and prepares it. If the boot service runs, it does; if its program is older than
// this one, it is first replaced by this one, as `service install` does. Otherwise the pod does, and `spec` is stored
// as the source; a boot service that is installed but stopped keeps its own. The lock of the state folder keeps a
// service that starts meanwhile from making a round at the same time. `pause` outlives the calls: a failed upgrade is
// reported once, and not tried again until the pause is over. Errors: lock, owner, those of the ports.
Result<Turn> TakeTurn(machine::Host& host, const SettingsSpec& spec, UpgradePause& pause);

// `options` for the rounds of a pod that follows `spec`: a pause that varies, and TakeTurn() before each round. If
// the pod's source is not followed, or a turn can't be taken, that is logged and passed to `options.on_report` and
// `options.on_failure`, once for each cause and day. `wants_approval`: new settings are to wait for approval; that the
// boot service makes the rounds without is logged and passed likewise.
LoopOptions PodRounds(machine::Host& host, const SettingsSpec& spec, LoopOptions options, bool wants_approval);

}  // namespace prov::node
