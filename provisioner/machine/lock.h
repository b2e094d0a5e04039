// Lock: one run at a time on one machine. The system gives it back when a process ends, however it ends.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kLockFile = "lock";

class Lock {
 public:
  // `script_lock` is the path of a file that goes with the lock, or "" (script_lock.h).
  explicit Lock(std::intptr_t handle, std::string script_lock = {})
      : handle_(handle), script_lock_(std::move(script_lock)) {}
  Lock(Lock&& other) noexcept
      : handle_(std::exchange(other.handle_, kNone)), script_lock_(std::exchange(other.script_lock_, {})) {}
  Lock& operator=(Lock&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(script_lock_, other.script_lock_);
    return *this;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

 private:
  static constexpr std::intptr_t kNone = -1;  // also INVALID_HANDLE_VALUE
  std::intptr_t handle_;
  std::string script_lock_;
};

// Locks the file kLockFile in an existing folder; it stays there afterwards, as removing it would let two runs lock two
// files. The folder is one that only administrators can write (OpenLiveMachine sees to it), so nobody else can hold the
// lock. On Windows it holds the lock of payloads' scripts, too. Errors: lock (another run holds it, or a script is at
// work), owner (Windows: the file is one of others), io.
Result<Lock> AcquireLock(const std::string& folder);

}  // namespace prov::machine
