#include "provisioner/cli/lock_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "provisioner/base/finding.h"
#include "provisioner/cli/terminal.h"

namespace prov::cli {
namespace {

constexpr std::int64_t kLockPause = 500;  // milliseconds
constexpr std::int64_t kLongestLockWait = 86400;

}  // namespace

LockWait::LockWait(Clock& clock, std::int64_t seconds)
    : clock_(clock), seconds_(seconds), left_(seconds * kMillisecondsPerSecond) {}

bool LockWait::Again(Error& error) {
  if (error.code != Code::kLock || seconds_ == 0) return false;
  if (left_ == seconds_ * kMillisecondsPerSecond) {
    Findings told;
    AddInfo(told, "lock-wait", fmt::format("another run holds the lock; waiting up to {} s for it to end", seconds_),
            error.where);
    PrintFindings(stderr, told);
    std::fflush(stderr);
  }
  const std::int64_t pause = std::min(left_, kLockPause);
  if (pause > 0 && clock_.Wait(pause)) {
    left_ -= pause;
    return true;
  }
  error.message += pause > 0 ? "; waiting for it was stopped" : fmt::format("; it did not end within {} s", seconds_);
  return false;
}

OptionSpec WaitLockOption() {
  return {"wait-lock", "SECONDS",
          "how long to wait for another run to end, instead of exit code 15 at once (default: 0; first-boot: 60)",
          Group::kRun};
}

Result<std::int64_t> ParseWaitLock(const Arguments& arguments, std::int64_t fallback) {
  const std::int64_t seconds = PROV_TRY(Number(arguments, "wait-lock", fallback));
  if (seconds <= kLongestLockWait) return seconds;
  return Fail(Code::kUsage, fmt::format("takes 0 to {} seconds", kLongestLockWait), "--wait-lock");
}

}  // namespace prov::cli
