// Lock: one run at a time on one machine. The system gives it back when a process ends, however it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kLockFile = "lock";

class Lock {
 public:
  // `script_lock` is the path of a file that goes with the lock, or "" (kScriptLockFile).
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

// Locks the file kLockFile in an existing folder. The file stays there afterwards: removing it could let two runs lock
// two different files. Only administrators can write the folder (OpenLiveMachine checks that), so nobody else can hold
// the lock. On Windows this also takes the lock of payloads' scripts. Errors: lock (another run or a script holds it),
// owner (Windows: the file belongs to others), io.
Result<Lock> AcquireLock(const std::string& folder);

// The lock that payloads' scripts use as well. A script in Constrained Language Mode can't keep a file open. So the
// lock is a file that exists while a run is active and holds the number of its process (docs/design/scripts.md#lock).
// On a live Windows, a Lock holds it besides its own.
inline constexpr std::string_view kScriptLockFile = "script.lock";

// The content of the file for process `id`, and the process of a file; nullopt: it is torn or names no process.
std::string ScriptLockText(std::uint32_t id);
std::optional<std::uint32_t> HolderOfScriptLock(std::string_view text);

// Whether a program of this path runs scripts. The number of an ended process may belong to another program by now. A
// process of this program counts as ended, too, because the caller holds this program's own lock.
bool RunsScripts(std::string_view program);

}  // namespace prov::machine
