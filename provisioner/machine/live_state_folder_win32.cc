// LiveStateFolder: small files that only administrators may read, each replaced in one step.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/opened_file.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMaxStateFileBytes = std::uint64_t{64} << 20U;

// Suffixes of temporary files beside the real ones. The next run overwrites what an interrupted run left.
constexpr std::string_view kNew = ".new";
constexpr std::string_view kOld = ".old";

Result<std::wstring> FilePath(const std::string& folder, std::string_view name) {
  const bool plain = !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (!plain) return Fail(Code::kInternal, "is not the name of a state file", std::string(name));
  return Wide(fmt::format("{}\\{}", folder, name));
}

// An empty handle: the folder does not exist.
Result<FileHandle> HoldStateFolder(const std::string& path) {
  const std::wstring wide = Wide(path);
  FileHandle handle = PROV_TRY(HoldFolder(wide, PathUse::kSecrets));
  if (handle && (GetFileAttributesW(wide.c_str()) & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    return Fail(Code::kIo, "is not a folder: move it away, because this program keeps its state there", path);
  }
  return handle;
}

bool IsLeftover(std::string_view name) {
  constexpr std::string_view kScriptState = "script-state";
  if (name.starts_with(kScriptState)) return false;
  return std::ranges::any_of(std::to_array({kNew, kOld}),
                             [&](std::string_view suffix) { return name.ends_with(".json" + std::string(suffix)); });
}

std::unexpected<Error> OnlyForReading(const std::string& path) {
  return Fail(Code::kInternal, "the state folder was opened for reading only", path);
}

}  // namespace

Result<LiveStateFolder> LiveStateFolder::Open(const std::string& path) {
  PROV_TRY(MakeFolder(Wide(path), FileUse::kSecret));
  FileHandle handle = PROV_TRY(HoldStateFolder(path));
  if (!handle) return Fail(Code::kIo, "somebody removed the folder just now: run this again", path);
  return LiveStateFolder(path, std::move(handle), true);
}

Result<LiveStateFolder> LiveStateFolder::OpenToRead(const std::string& path) {
  FileHandle handle = PROV_TRY(HoldStateFolder(path));
  return LiveStateFolder(path, std::move(handle), false);
}

void RemoveStateLeftovers(const std::string& path) {
  for (win32::FolderSearch search(Wide(path + R"(\*)")); search.Has(); search.Next()) {
    const std::string name = Narrow(search.entry().cFileName);
    if (IsLeftover(name)) DeleteFileW(Wide(fmt::format("{}\\{}", path, name)).c_str());
  }
}

Result<FileHandle> AcquireLock(const std::string& folder) {
  const std::string path = fmt::format("{}\\{}", folder, kLockFile);
  // Share the file: a scanner that opens it must not look like another run.
  constexpr DWORD kAccess = GENERIC_READ | GENERIC_WRITE | READ_CONTROL;
  FileHandle file = PROV_TRY(MakeSecretFile(Wide(path), kAccess, OPEN_ALWAYS));
  // The owner of an existing file could keep every run out, so check it.
  PROV_TRY(CheckTrusted(file, PathUse::kSecrets, path));
  OVERLAPPED at{};
  if (LockFileEx(file.get(), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) != 0) return file;
  const DWORD error = GetLastError();
  if (error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING) {
    return Fail(Code::kLock, "another run is at work: wait until it has ended", path);
  }
  return win32::Failure(Code::kIo, "cannot lock", path, error);
}

Result<std::optional<std::string>> LiveStateFolder::Read(std::string_view name) {
  const std::wstring path = PROV_TRY(FilePath(path_, name));
  if (!handle_) return std::nullopt;
  const FileHandle file = PROV_TRY(OpenSecret(path, GENERIC_READ, kShareAll, 0));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadOpened(reinterpret_cast<NativeFile>(file.get()), Narrow(path), kMaxStateFileBytes));
}

Result<void> LiveStateFolder::Write(std::string_view name, std::string_view bytes) {
  if (!writable_) return OnlyForReading(path_);
  const std::wstring path = PROV_TRY(FilePath(path_, name));
  const std::wstring fresh = path + Wide(kNew);
  DeleteFileW(fresh.c_str());  // left by a run that was cut short
  FileHandle file = PROV_TRY(MakeSecretFile(fresh, GENERIC_WRITE, CREATE_NEW));
  PROV_TRY(WriteAndFlush(file, bytes, fresh));
  file.Close();
  const DWORD error = MoveOver(fresh, path);
  if (error == ERROR_SUCCESS) return {};
  DeleteFileW(fresh.c_str());
  return win32::Failure(Code::kIo, "cannot replace the file", Narrow(path), error);
}

// Renames before it deletes: Windows can flush a renaming, but not a deletion. After a power failure, only the renamed
// file may come back.
Result<void> LiveStateFolder::Remove(std::string_view name) {
  if (!writable_) return OnlyForReading(path_);
  const std::wstring path = PROV_TRY(FilePath(path_, name));
  const std::wstring old = path + Wide(kOld);
  const DWORD error = MoveOver(path, old);
  if (error == ERROR_FILE_NOT_FOUND) return {};
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot remove the file", Narrow(path), error);
  DeleteFileW(old.c_str());
  return {};
}

}  // namespace prov::machine
