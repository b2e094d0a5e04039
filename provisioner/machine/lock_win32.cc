#include <fmt/format.h>

#include "provisioner/machine/lock.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

// Whether the process runs and may be a payload's script. One that may not be looked at is no administrator's.
bool IsAtWork(std::uint32_t id) {
  if (id == GetCurrentProcessId()) return false;  // a number that was somebody else's
  const FileHandle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, id));
  DWORD code = 0;
  if (!process || GetExitCodeProcess(process.get(), &code) == 0 || code != STILL_ACTIVE) return false;
  std::wstring path(std::size_t{1} << 15U, L'\0');  // no path is longer
  auto size = static_cast<DWORD>(path.size());
  if (QueryFullProcessImageNameW(process.get(), 0, path.data(), &size) == 0) return false;
  path.resize(size);
  return RunsScripts(Narrow(path));
}

// Makes the file, in place of one that a run left that was killed. One that has just been made is empty for a moment.
Result<std::string> AcquireScriptLock(const std::string& folder) {
  constexpr int kTries = 3;
  constexpr std::uint64_t kMostBytes = 64;
  constexpr DWORD kMoment = 1000;
  std::string where = fmt::format("{}\\{}", folder, kScriptLockFile);
  const std::wstring path = Wide(where);
  for (int attempt = 1;; ++attempt) {
    {
      const FileHandle found = PROV_TRY(OpenSecret(path, GENERIC_READ, kShareAll, 0));
      const std::string text = found ? PROV_TRY(ReadAll(found, kMostBytes, path)) : std::string();
      const auto holder = HolderOfScriptLock(text);
      if (holder && IsAtWork(*holder)) {
        return Fail(Code::kLock,
                    fmt::format("a payload's script is at work (process {}): wait until it has ended", *holder), where);
      }
      if (found && text.empty() && attempt == 1) {
        Sleep(kMoment);
        continue;
      }
    }
    DeleteFileW(path.c_str());
    auto made = MakeSecretFile(path, GENERIC_WRITE, CREATE_NEW);
    if (!made && attempt < kTries) continue;
    const FileHandle file = PROV_TRY(std::move(made));
    PROV_TRY(WriteAndFlush(file, ScriptLockText(GetCurrentProcessId()), path));
    return where;
  }
}

}  // namespace

Lock::~Lock() {
  // First: who holds the other finds none of this.
  if (handle_ != kNone && !script_lock_.empty()) DeleteFileW(Wide(script_lock_).c_str());
  const FileHandle closed(reinterpret_cast<HANDLE>(handle_));
}

Result<Lock> AcquireLock(const std::string& folder) {
  const std::string path = fmt::format("{}\\{}", folder, kLockFile);
  // Shared with everybody: a scanner that looks at the file must not look like another run.
  constexpr DWORD kAccess = GENERIC_READ | GENERIC_WRITE | READ_CONTROL;
  FileHandle file = PROV_TRY(MakeSecretFile(Wide(path), kAccess, OPEN_ALWAYS));
  // One that was there already may be somebody else's, who can then keep every run out.
  PROV_TRY(CheckTrusted(file, PathUse::kSecrets, path));
  OVERLAPPED at{};
  if (LockFileEx(file.get(), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0) {
    std::string script_lock = PROV_TRY(AcquireScriptLock(folder));
    return Lock(reinterpret_cast<std::intptr_t>(file.Release()), std::move(script_lock));
  }
  const DWORD error = GetLastError();
  if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING) {
    return Fail(Code::kLock, "another run is at work: wait until it has ended", path);
  }
  return WindowsFailure("cannot lock", error, path);
}

}  // namespace prov::machine
