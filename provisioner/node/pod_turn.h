// Decides whether a pod or the boot service makes the next round on a node that has both.
#pragma once

#include <cstdint>

#include "provisioner/node/first_boot.h"
#include "provisioner/node/service_loop.h"

namespace prov::node {

enum class Turn {
  kPod,
  kService,
  kNobody,  // the boot service runs, and its settings were delivered once: it keeps them and follows nothing
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

// The boot service makes the round where it runs. If its program is older than this one, it is first replaced by this
// one, as `service install` does. Otherwise the pod makes the round and follows `spec`, unless a stopped boot service
// has a source of its own. The lock of the state folder keeps a service that starts meanwhile from making a round at
// the same time. `pause` outlives the calls: an upgrade that failed is reported once, and is not tried again before the
// pause is over. Errors: lock, owner, those of the ports.
Result<Turn> TakeTurn(machine::Host& host, const SettingsSpec& spec, UpgradePause& pause);

// The rounds of a pod that follows `spec`: `options` with a pause that varies, and a turn of TakeTurn() before each
// round. That nobody follows the pod's source, and what keeps a turn from being taken, is logged and passed to
// `options.told` and `options.failed` once for each cause and day.
LoopOptions PodRounds(machine::Host& host, const SettingsSpec& spec, LoopOptions options);

}  // namespace prov::node
