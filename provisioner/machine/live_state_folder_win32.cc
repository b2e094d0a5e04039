#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/machine/live_state_folder.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20U;

// Beside the file that they stand in for. What a run leaves behind when it is cut short is replaced by the next one.
constexpr std::string_view kNew = ".new";
constexpr std::string_view kOld = ".old";

Result<std::wstring> FilePath(const std::string& folder, std::string_view name) {
  const bool plain = !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
  if (!plain) return Fail(Code::kInternal, "this is no name of a state file", std::string(name));
  return Wide(fmt::format("{}\\{}", folder, name));
}

// Virus scanners and indexers hold a new file open for a moment.
DWORD MoveOver(const std::wstring& from, const std::wstring& to) {
  for (const DWORD wait : std::to_array<DWORD>({10, 20, 50, 100, 200, 400, 0})) {
    if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) break;
    const DWORD error = GetLastError();
    if ((error != ERROR_ACCESS_DENIED && error != ERROR_SHARING_VIOLATION) || wait == 0) return error;
    Sleep(wait);
  }
  return ERROR_SUCCESS;
}

Result<void> WriteAll(const FileHandle& file, std::string_view bytes, const std::wstring& path) {
  while (!bytes.empty()) {
    constexpr std::size_t kMost = std::size_t{1} << 20U;
    DWORD written = 0;
    if (WriteFile(file.get(), bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kMost)), &written, nullptr) ==
        0) {
      return WindowsFailure("cannot write", GetLastError(), Narrow(path));
    }
    bytes.remove_prefix(written);
  }
  if (FlushFileBuffers(file.get()) == 0) return WindowsFailure("cannot flush", GetLastError(), Narrow(path));
  return {};
}

Result<std::string> ReadAll(const FileHandle& file, const std::wstring& path) {
  LARGE_INTEGER size{};
  if (GetFileSizeEx(file.get(), &size) == 0) return WindowsFailure("cannot read", GetLastError(), Narrow(path));
  if (static_cast<std::uint64_t>(size.QuadPart) > kMostBytes) {
    return Fail(Code::kTooLarge, fmt::format("is larger than {} bytes: this program never wrote it", kMostBytes),
                Narrow(path));
  }
  std::string out(static_cast<std::size_t>(size.QuadPart), '\0');
  std::size_t at = 0;
  while (at < out.size()) {
    DWORD read = 0;
    if (ReadFile(file.get(), out.data() + at, static_cast<DWORD>(out.size() - at), &read, nullptr) == 0) {
      return WindowsFailure("cannot read", GetLastError(), Narrow(path));
    }
    if (read == 0) break;  // it became shorter
    at += read;
  }
  out.resize(at);
  return out;
}

// An empty handle: there is no such folder.
Result<FileHandle> HoldFolder(const std::string& path) {
  const std::wstring wide = Wide(path);
  FileHandle handle =
      PROV_TRY(OpenSecret(wide, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE, FILE_FLAG_BACKUP_SEMANTICS));
  if (handle && (GetFileAttributesW(wide.c_str()) & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    return Fail(Code::kIo, "is no folder: move it away, this program keeps its state there", path);
  }
  return handle;
}

std::unexpected<Error> OnlyForReading(const std::string& path) {
  return Fail(Code::kInternal, "the state folder was opened for reading only", path);
}

}  // namespace

Result<LiveStateFolder> LiveStateFolder::Open(const std::string& path) {
  PROV_TRY(MakeSecretFolder(Wide(path)));
  FileHandle handle = PROV_TRY(HoldFolder(path));
  if (!handle) return Fail(Code::kIo, "somebody removed the folder just now: run this again", path);
  return LiveStateFolder(path, reinterpret_cast<std::intptr_t>(handle.Release()), true);
}

Result<LiveStateFolder> LiveStateFolder::OpenToRead(const std::string& path) {
  FileHandle handle = PROV_TRY(HoldFolder(path));
  return LiveStateFolder(path, reinterpret_cast<std::intptr_t>(handle.Release()), false);
}

LiveStateFolder::LiveStateFolder(std::string path, std::intptr_t handle, bool writable)
    : path_(std::move(path)), handle_(handle), writable_(writable) {}

LiveStateFolder::LiveStateFolder(LiveStateFolder&& other) noexcept
    : path_(std::move(other.path_)),
      handle_(std::exchange(other.handle_, reinterpret_cast<std::intptr_t>(INVALID_HANDLE_VALUE))),
      writable_(other.writable_) {}

LiveStateFolder::~LiveStateFolder() { const FileHandle closed(reinterpret_cast<HANDLE>(handle_)); }

Result<std::optional<std::string>> LiveStateFolder::Read(std::string_view name) {
  const std::wstring path = PROV_TRY(FilePath(path_, name));
  if (reinterpret_cast<HANDLE>(handle_) == INVALID_HANDLE_VALUE) return std::nullopt;
  constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const FileHandle file = PROV_TRY(OpenSecret(path, GENERIC_READ, kShareAll, 0));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadAll(file, path));
}

Result<void> LiveStateFolder::Write(std::string_view name, std::string_view bytes) {
  if (!writable_) return OnlyForReading(path_);
  const std::wstring path = PROV_TRY(FilePath(path_, name));
  const std::wstring fresh = path + Wide(kNew);
  DeleteFileW(fresh.c_str());  // left by a run that was cut short
  FileHandle file = PROV_TRY(MakeSecretFile(fresh, GENERIC_WRITE, CREATE_NEW));
  PROV_TRY(WriteAll(file, bytes, fresh));
  file.Close();
  const DWORD error = MoveOver(fresh, path);
  if (error == ERROR_SUCCESS) return {};
  DeleteFileW(fresh.c_str());
  return WindowsFailure("cannot replace the file", error, Narrow(path));
}

// Windows can't flush a deletion, but it can a renaming: what a power failure may bring back is the other name.
Result<void> LiveStateFolder::Remove(std::string_view name) {
  if (!writable_) return OnlyForReading(path_);
  const std::wstring path = PROV_TRY(FilePath(path_, name));
  const std::wstring old = path + Wide(kOld);
  const DWORD error = MoveOver(path, old);
  if (error == ERROR_FILE_NOT_FOUND) return {};
  if (error != ERROR_SUCCESS) return WindowsFailure("cannot remove the file", error, Narrow(path));
  DeleteFileW(old.c_str());
  return {};
}

}  // namespace prov::machine
