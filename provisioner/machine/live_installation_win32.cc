// The port Installation on Windows: the program, its pin and its folders, and their removal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "provisioner/base/file.h"
#include "provisioner/base/opened_file.h"
#include "provisioner/machine/followed_file.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"
#include "provisioner/machine/windows_file.h"
#include "provisioner/machine/windows_places.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMostProgramBytes = std::uint64_t{256} << 20U;
constexpr std::uint64_t kMostPinBytes = std::uint64_t{1} << 20U;

// Where the program and its pin are. `former`: the program that an upgrade replaced, kept until the new one has
// started.
struct ProgramPaths {
  std::wstring folder;
  std::wstring program;
  std::wstring pin;
  std::wstring former;
};

Result<ProgramPaths> FindProgramPaths() {
  const std::wstring folder = PROV_TRY(ProgramFilesFolder()) + L"\\Provisioner";
  const std::wstring program = folder + L"\\provisioner.exe";
  return ProgramPaths{folder, program, folder + L"\\pin.json", program + L".former"};
}

Result<FileHandle> HoldProgramFolder(const ProgramPaths& paths) { return HoldFolder(paths.folder, PathUse::kPrograms); }

Result<std::string> OwnBytes() {
  std::wstring path(32'768, L'\0');
  const DWORD size = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  if (size == 0 || size >= path.size()) return win32::Failure(Code::kIo, "cannot find this program", "");
  path.resize(size);
  return ReadFile(Narrow(path), kMostProgramBytes);
}

// nullopt: the file does not exist.
Result<std::optional<std::string>> InstalledBytes(const std::wstring& path, std::uint64_t limit) {
  const FileHandle file = PROV_TRY(OpenTrusted(path, PathUse::kPrograms, GENERIC_READ, kShareAll, 0));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadOpened(reinterpret_cast<NativeFile>(file.get()), Narrow(path), limit));
}

// The bytes of a file of ours. nullopt: it does not exist, or others can change it, so that it must be replaced
// whatever it contains.
Result<std::optional<std::string>> OwnedBytes(const std::wstring& path, std::uint64_t limit) {
  Result<std::optional<std::string>> bytes = InstalledBytes(path, limit);
  if (!bytes && bytes.error().code == Code::kOwner) return std::nullopt;
  return bytes;
}

// Names for replaced or removed programs that are still in use. They are deleted once they are not.
constexpr auto kAside = std::to_array<std::wstring_view>({L".old", L".old2", L".old3", L".old4", L".old5", L".old6"});

// Also deletes what an interrupted run wrote but did not put in place.
void RemoveSetAside(const ProgramPaths& paths) {
  for (const std::wstring& path : {paths.program, paths.pin, paths.former}) DeleteFileW((path + L".new").c_str());
  for (const std::wstring_view suffix : kAside) DeleteFileW((paths.program + std::wstring(suffix)).c_str());
}

// Renames a running program, because it can't be removed. Returns the new name; empty: error in GetLastError.
std::wstring SetAside(const ProgramPaths& paths) {
  for (const std::wstring_view suffix : kAside) {
    std::wstring name = paths.program + std::wstring(suffix);
    if (MoveFileExW(paths.program.c_str(), name.c_str(), MOVEFILE_WRITE_THROUGH) != 0) return name;
    const DWORD error = GetLastError();
    if (error != ERROR_ALREADY_EXISTS && error != ERROR_FILE_EXISTS) break;
  }
  return {};
}

void RemoveNowOrAtNextBoot(const std::wstring& path) {
  if (DeleteFileW(path.c_str()) == 0) MoveFileExW(path.c_str(), nullptr, MOVEFILE_DELAY_UNTIL_REBOOT);
}

// Makes the folder, or refuses one that others can change.
Result<FileHandle> MakeProgramFolder(const ProgramPaths& paths) {
  PROV_TRY(MakeFolder(paths.folder, FileUse::kPlain));
  FileHandle held = PROV_TRY(HoldProgramFolder(paths));
  if (!held) return Fail(Code::kIo, "somebody removed the folder just now: run this again", Narrow(paths.folder));
  return held;
}

// `path` is the final name of `fresh`.
Result<void> WriteBeside(const std::wstring& path, const std::wstring& fresh, std::string_view bytes) {
  DeleteFileW(fresh.c_str());  // left by a run that was cut short
  const FileHandle file = PROV_TRY(MakeFile(fresh, FileUse::kPlain, GENERIC_WRITE, CREATE_NEW));
  Result<void> written = WriteAndFlush(file, bytes, fresh);
  if (!written) written.error().where = Narrow(path);
  return written;
}

// One step if the program does not run. Otherwise the name is missing for an instant; if the run is interrupted then,
// the next InstallProgram repairs that.
Result<void> PutInPlace(const ProgramPaths& paths, const std::wstring& fresh) {
  if (MoveFileExW(fresh.c_str(), paths.program.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) {
    return {};
  }
  const std::wstring aside = SetAside(paths);
  if (aside.empty()) return win32::Failure(Code::kIo, "cannot replace the program", Narrow(paths.program));
  const DWORD error = MoveOver(fresh, paths.program);
  if (error != ERROR_SUCCESS) {
    MoveFileExW(aside.c_str(), paths.program.c_str(), MOVEFILE_WRITE_THROUGH);
    return win32::Failure(Code::kIo, "cannot put the program in its place", Narrow(paths.program), error);
  }
  RemoveNowOrAtNextBoot(aside);
  return {};
}

bool IsThere(const std::wstring& path) { return GetFileAttributesW(path.c_str()) != INVALID_FILE_ATTRIBUTES; }

// Writes under a temporary name first: an incomplete program could not be restored.
Result<void> KeepFormer(const ProgramPaths& paths, std::string_view bytes) {
  if (IsThere(paths.former)) return {};
  const std::wstring fresh = paths.former + L".new";
  Result<void> kept = WriteBeside(paths.former, fresh, bytes);
  if (kept) {
    const DWORD error = MoveOver(fresh, paths.former);
    if (error != ERROR_SUCCESS)
      kept = win32::Failure(Code::kIo, "cannot keep the former program", Narrow(paths.former), error);
  }
  if (!kept) DeleteFileW(fresh.c_str());
  return kept;
}

// The time of the last write; nullopt: the file does not exist.
Result<std::optional<FILETIME>> WrittenAt(const std::wstring& path) {
  const FileHandle file(CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kShareAll, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  FILETIME written{};
  if (file && GetFileTime(file.get(), nullptr, nullptr, &written) != 0) return written;
  const DWORD error = GetLastError();
  if (win32::MeansMissing(error)) return std::nullopt;
  return win32::Failure(Code::kIo, "cannot look at the file", Narrow(path), error);
}

// nullopt: the process has ended.
std::optional<FILETIME> StartedAt(std::uint32_t process_id) {
  const FileHandle process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process_id));
  FILETIME started{};
  FILETIME ended{};
  FILETIME kernel{};
  FILETIME user{};
  if (!process || GetProcessTimes(process.get(), &started, &ended, &kernel, &user) == 0) return std::nullopt;
  return started;
}

// Accepts `C:\folder\file` and no other form of a path.
bool IsFullPlainPath(const std::wstring& path) {
  const bool drive = path.size() > 3 && iswalpha(path[0]) != 0 && path[1] == L':' && path[2] == L'\\';
  if (!drive || path.find_first_of(L":/\"<>|?*", 2) != std::wstring::npos) return false;
  std::wstring::size_type start = 3;
  while (true) {
    const std::wstring::size_type end = std::min(path.find(L'\\', start), path.size());
    // Windows drops a dot or blank at the end of a name; this also refuses "." and "..".
    if (end == start || path[end - 1] == L'.' || path[end - 1] == L' ') return false;
    if (end == path.size()) return true;
    start = end + 1;
  }
}

std::wstring LongName(const std::wstring& path) {
  std::wstring out(32'768, L'\0');
  const DWORD size = GetLongPathNameW(path.c_str(), out.data(), static_cast<DWORD>(out.size()));
  if (size == 0 || size >= out.size()) return path;
  out.resize(size);
  return out;
}

// The path of the opened file with all links resolved, without "\\?\".
std::wstring FinalName(const FileHandle& file) {
  std::wstring out(32'768, L'\0');
  const DWORD size = GetFinalPathNameByHandleW(file.get(), out.data(), static_cast<DWORD>(out.size()), VOLUME_NAME_DOS);
  if (size == 0 || size >= out.size()) return {};
  out.resize(size);
  return out.starts_with(L"\\\\?\\") ? out.substr(4) : out;
}

bool SamePath(const std::wstring& a, const std::wstring& b) {
  return CompareStringOrdinal(a.c_str(), static_cast<int>(a.size()), b.c_str(), static_cast<int>(b.size()), TRUE) ==
         CSTR_EQUAL;
}

// Removes the opened file itself, whatever has its name by now. Clears the read-only attribute, which copies from a
// read-only medium have.
Result<void> RemoveOpened(const FileHandle& file, DWORD attributes, const std::string& where) {
  if ((attributes & FILE_ATTRIBUTE_READONLY) != 0) {
    FILE_BASIC_INFO basic{};
    basic.FileAttributes = FILE_ATTRIBUTE_NORMAL;
    SetFileInformationByHandle(file.get(), FileBasicInfo, &basic, sizeof(basic));
  }
  FILE_DISPOSITION_INFO disposition{TRUE};
  if (SetFileInformationByHandle(file.get(), FileDispositionInfo, &disposition, sizeof(disposition)) != 0) return {};
  return win32::Failure(Code::kIo, "cannot remove the file", where);
}

struct Entry {
  std::wstring path;
  DWORD attributes;
};

Result<std::vector<Entry>> Entries(const std::wstring& folder) {
  std::vector<Entry> out;
  const std::wstring prefix = folder + L"\\";
  win32::FolderSearch search(prefix + L"*");
  if (!search.Has()) return win32::Failure(Code::kIo, "cannot list the folder", Narrow(folder), search.error());
  for (; search.Has(); search.Next()) {
    const std::wstring name = search.entry().cFileName;
    if (name != L"." && name != L"..") out.push_back({prefix + name, search.entry().dwFileAttributes});
  }
  return out;
}

// Retries, because scanners hold files open for a moment.
Result<void> Remove(const std::wstring& path, bool is_folder) {
  constexpr int kAttempts = 20;
  constexpr DWORD kPauseMilliseconds = 50;
  for (int attempt = 1;; ++attempt) {
    if ((is_folder ? RemoveDirectoryW(path.c_str()) : DeleteFileW(path.c_str())) != 0) return {};
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND) return {};
    const bool passing =
        error == ERROR_SHARING_VIOLATION || error == ERROR_ACCESS_DENIED || error == ERROR_DIR_NOT_EMPTY;
    if (!passing || attempt == kAttempts) return win32::Failure(Code::kIo, "cannot remove", Narrow(path), error);
    Sleep(kPauseMilliseconds);
  }
}

// Installation::RemoveFile. Errors: usage (not a full plain path), link (it is a link, or a link is on the way),
// directory, io.
Result<void> RemovePlainFile(std::string_view path) {
  const std::wstring wide = Wide(path);
  const std::string where(path);
  if (!IsFullPlainPath(wide)) return Fail(Code::kUsage, R"(is not a full path such as C:\folder\file)", where);
  const FileHandle file(CreateFileW((L"\\\\?\\" + wide).c_str(), DELETE | FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES,
                                    kShareAll, nullptr, OPEN_EXISTING,
                                    FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (!file) {
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND) return {};
    return win32::Failure(Code::kIo, "cannot open the file to remove it", where, error);
  }
  BY_HANDLE_FILE_INFORMATION information{};
  if (GetFileInformationByHandle(file.get(), &information) == 0) {
    return win32::Failure(Code::kIo, "cannot look at the file", where);
  }
  const DWORD attributes = information.dwFileAttributes;
  if ((attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0) return Fail(Code::kLink, "is a link: remove it by hand", where);
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) return Fail(Code::kDirectory, "is a folder, not a file", where);
  const std::wstring real = FinalName(file);
  if (!SamePath(LongName(wide), real)) {
    return Fail(Code::kLink, fmt::format("leads through a link to {}: remove it by hand", Narrow(real)), where);
  }
  return RemoveOpened(file, attributes, where);
}

// Removes a folder and everything beneath it; removes links, not their targets. Only administrators may be able to
// write there. Errors: io.
Result<void> RemoveTree(const std::wstring& folder) {
  for (const Entry& entry : PROV_TRY(Entries(folder))) {
    const bool is_folder = (entry.attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    const bool is_link = (entry.attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
    if (is_folder && !is_link) {
      PROV_TRY(RemoveTree(entry.path));
    } else {
      if ((entry.attributes & FILE_ATTRIBUTE_READONLY) != 0)
        SetFileAttributesW(entry.path.c_str(), FILE_ATTRIBUTE_NORMAL);
      PROV_TRY(Remove(entry.path, is_folder));
    }
  }
  return Remove(folder, true);
}

class WindowsInstallation final : public Installation {
 public:
  Result<std::string> ProgramPath() override { return Narrow(PROV_TRY(FindProgramPaths()).program); }

  Result<bool> InstallProgram() override {
    const ProgramPaths paths = PROV_TRY(FindProgramPaths());
    const std::string bytes = PROV_TRY(OwnBytes());
    const FileHandle held = PROV_TRY(MakeProgramFolder(paths));
    RemoveSetAside(paths);
    const auto now = PROV_TRY(OwnedBytes(paths.program, kMostProgramBytes));
    if (now == bytes) return false;
    if (now) PROV_TRY(KeepFormer(paths, *now));
    const std::wstring fresh = paths.program + L".new";
    Result<void> installed = WriteBeside(paths.program, fresh, bytes);
    if (installed) installed = PutInPlace(paths, fresh);
    if (!installed) {
      DeleteFileW(fresh.c_str());
      return std::unexpected(std::move(installed).error());
    }
    return true;
  }

  Result<ProgramStatus> ReadProgramStatus() override {
    const ProgramPaths paths = PROV_TRY(FindProgramPaths());
    const std::string own = PROV_TRY(OwnBytes());
    ProgramStatus out;
    out.own = ProgramVersionOf(own);
    const FileHandle held = PROV_TRY(HoldProgramFolder(paths));
    if (!held) return out;
    const auto now = PROV_TRY(OwnedBytes(paths.program, kMostProgramBytes));
    out.is_installed = now.has_value();
    out.is_same = now == own;
    if (now) out.installed = ProgramVersionOf(*now);
    out.has_former = IsThere(paths.former);
    return out;
  }

  // Refuses a former program that others can change: it would run as SYSTEM.
  Result<bool> RestoreProgram() override {
    const ProgramPaths paths = PROV_TRY(FindProgramPaths());
    const FileHandle held = PROV_TRY(HoldProgramFolder(paths));
    if (!held || !PROV_TRY(InstalledBytes(paths.former, kMostProgramBytes))) return false;
    PROV_TRY(PutInPlace(paths, paths.former));
    return true;
  }

  void DropFormerProgram() override {
    const auto paths = FindProgramPaths();
    if (paths) DeleteFileW(paths->former.c_str());
  }

  Result<bool> RunsProgram(std::uint32_t process_id) override {
    const auto written = PROV_TRY(WrittenAt(PROV_TRY(FindProgramPaths()).program));
    const auto started = StartedAt(process_id);
    return written && started && CompareFileTime(&*started, &*written) >= 0;
  }

  // Keeps the folder if it contains other files.
  Result<bool> RemoveProgram() override {
    const ProgramPaths paths = PROV_TRY(FindProgramPaths());
    {
      const FileHandle held = PROV_TRY(HoldProgramFolder(paths));
      if (!held) return false;
      PROV_TRY(RemoveProgramFile(paths));
      PROV_TRY(RemovePinFile(paths));
    }
    if (RemoveDirectoryW(paths.folder.c_str()) == 0) {
      MoveFileExW(paths.folder.c_str(), nullptr, MOVEFILE_DELAY_UNTIL_REBOOT);
    }
    return true;
  }

  Result<std::optional<std::string>> ReadPin() override {
    const ProgramPaths paths = PROV_TRY(FindProgramPaths());
    const FileHandle held = PROV_TRY(HoldProgramFolder(paths));
    if (!held) return std::nullopt;
    return InstalledBytes(paths.pin, kMostPinBytes);
  }

  Result<bool> WritePin(std::string_view bytes) override {
    const ProgramPaths paths = PROV_TRY(FindProgramPaths());
    const FileHandle held = PROV_TRY(MakeProgramFolder(paths));
    if (PROV_TRY(OwnedBytes(paths.pin, kMostPinBytes)) == bytes) return false;
    const std::wstring fresh = paths.pin + L".new";
    PROV_TRY(WriteBeside(paths.pin, fresh, bytes));
    const DWORD error = MoveOver(fresh, paths.pin);
    if (error == ERROR_SUCCESS) return true;
    DeleteFileW(fresh.c_str());
    return win32::Failure(Code::kIo, "cannot put the pin in its place", Narrow(paths.pin), error);
  }

  Result<std::string> SetupScriptsFolder() override { return Narrow(PROV_TRY(WindowsFolder())) + R"(\Setup\Scripts)"; }

  Result<void> CheckSource(std::string_view path, Shares shares) override {
    return CheckFollowed(LivePaths(), path, shares);
  }
  Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit, Shares shares) override {
    return machine::ReadFollowed(LivePaths(), path, limit, shares);
  }

  Result<void> RemoveFile(std::string_view path) override { return RemovePlainFile(path); }

  Result<void> RemoveState() override {
    const std::string folder = PROV_TRY(DefaultStateFolder());
    const std::wstring wide = Wide(folder);
    {
      const FileHandle held = PROV_TRY(HoldFolder(wide, PathUse::kSecrets));
      if (!held) return {};
      const FileHandle lock = PROV_TRY(AcquireLock(folder));  // fails if another run has the lock
    }
    return RemoveTree(wide);
  }

 private:
  static Result<void> RemovePinFile(const ProgramPaths& paths) {
    if (DeleteFileW(paths.pin.c_str()) != 0 || GetLastError() == ERROR_FILE_NOT_FOUND) return {};
    return win32::Failure(Code::kIo, "cannot remove the pin", Narrow(paths.pin));
  }

  // Renames the program before the next boot deletes it, so that a program installed in the meantime stays.
  static Result<void> RemoveProgramFile(const ProgramPaths& paths) {
    RemoveSetAside(paths);
    DeleteFileW(paths.former.c_str());
    if (DeleteFileW(paths.program.c_str()) != 0 || GetLastError() == ERROR_FILE_NOT_FOUND) return {};
    const std::wstring aside = SetAside(paths);
    if (aside.empty()) return win32::Failure(Code::kIo, "cannot remove the program", Narrow(paths.program));
    RemoveNowOrAtNextBoot(aside);
    return {};
  }
};

}  // namespace

Installation& LiveInstallation() {
  static WindowsInstallation installation;
  return installation;
}

}  // namespace prov::machine
