// Lock: one run at a time on one machine. The system releases it when the process ends, however it ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kLockFile = "lock";

class Lock {
 public:
  explicit Lock(std::intptr_t handle) : handle_(handle) {}
  Lock(Lock&& other) noexcept : handle_(std::exchange(other.handle_, kNone)) {}
  Lock& operator=(Lock&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  static constexpr std::intptr_t kNone = -1;  // also INVALID_HANDLE_VALUE
  std::intptr_t handle_;
};

// Locks the file kLockFile in an existing folder. The file stays there afterwards: removing it could let two runs lock
// two different files. Only administrators can write the folder (OpenLiveMachine checks that), so other users can't
// hold the lock. On Windows it locks the file's first byte, as a payload's script does (templates/Apply-Egress.ps1).
// Errors: lock (another run or a script holds it), owner (Windows: the file belongs to others), io.
Result<Lock> AcquireLock(const std::string& folder);

}  // namespace prov::machine
