// --wait-lock: waiting until another run has ended.
#pragma once

#include <cstdint>

#include "provisioner/base/clock.h"
#include "provisioner/base/error.h"
#include "provisioner/base/result.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

// Waits for a lock that another run holds. Counts its pauses instead of reading the clock, because the clock may be set
// meanwhile: at a machine's first boot it often is.
class LockWait {
 public:
  LockWait(Clock& clock, std::int64_t seconds);
  // Returns whether to try again: the error is `lock`, and there was time left for a pause. Announces the first pause
  // on standard error. When the time is over, adds that to `error`.
  bool Again(Error& error);

 private:
  Clock& clock_;
  std::int64_t seconds_, left_;  // in milliseconds
};

// Calls `open` until no other run holds the lock or the time is over. Returns its last result.
template <class Open>
auto WhenFree(Clock& clock, std::int64_t seconds, Open open) -> decltype(open()) {
  LockWait wait(clock, seconds);
  for (;;) {
    auto opened = open();
    if (opened || !wait.Again(opened.error())) return opened;
  }
}

// --wait-lock SECONDS. Errors: usage.
OptionSpec WaitLockOption();
Result<std::int64_t> ParseWaitLock(const Arguments& arguments, std::int64_t fallback = 0);

}  // namespace prov::cli
