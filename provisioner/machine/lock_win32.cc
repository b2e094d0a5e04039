#include <fmt/format.h>

#include "provisioner/machine/lock.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {

Lock::~Lock() { const FileHandle closed(reinterpret_cast<HANDLE>(handle_)); }

Result<Lock> AcquireLock(const std::string& folder) {
  const std::string path = fmt::format("{}\\{}", folder, kLockFile);
  // Share the file: a scanner that opens it must not look like another run.
  constexpr DWORD kAccess = GENERIC_READ | GENERIC_WRITE | READ_CONTROL;
  FileHandle file = PROV_TRY(MakeSecretFile(Wide(path), kAccess, OPEN_ALWAYS));
  // The owner of an existing file could keep every run out, so check it.
  PROV_TRY(CheckTrusted(file, PathUse::kSecrets, path));
  OVERLAPPED at{};
  if (LockFileEx(file.get(), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0) {
    return Lock(reinterpret_cast<std::intptr_t>(file.Release()));
  }
  const DWORD error = GetLastError();
  if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING) {
    return Fail(Code::kLock, "another run is at work: wait until it has ended", path);
  }
  return WindowsFailure("cannot lock", error, path);
}

}  // namespace prov::machine
