// A pod and the boot service on one node: who makes the next round.
#pragma once

#include <cstdint>

#include "provisioner/node/first_boot.h"

namespace prov::node {

enum class Turn { kPod, kService };

// Between upgrades of the boot service that fail: each of them stops it for a while. An hour, and twice as long after
// each further failure, up to a day.
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

// The boot service, where it runs. A program that is older than this one is replaced by this one first, as `service
// install` does. Else the pod, which then follows `words`, unless a boot service that does not run has a source of its
// own. The lock of the state folder keeps a service that starts meanwhile from making a round at the same time. `pause`
// outlives the calls: an upgrade that failed is an error once, and is not tried again before it is over. Errors: lock,
// owner, those of the ports.
Result<Turn> TakeTurn(machine::Host& host, const SourceWords& words, UpgradePause& pause);

}  // namespace prov::node
