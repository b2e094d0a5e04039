// The port Installation on Windows: the program, its service and its folders.
#include <fmt/format.h>

#include <array>

#include "provisioner/base/file.h"
#include "provisioner/machine/followed_file.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/lock.h"
#include "provisioner/machine/remove_file.h"
#include "provisioner/machine/windows_file.h"
#include "provisioner/machine/windows_places.h"

namespace prov::machine {
namespace {

constexpr std::uint64_t kMostProgramBytes = std::uint64_t{256} << 20U;
constexpr std::uint64_t kMostSignerBytes = std::uint64_t{1} << 20U;

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct Place {
  std::wstring folder;
  std::wstring program;
  std::wstring signer;
};

Result<Place> ProgramPlace() {
  const std::wstring folder = PROV_TRY(ProgramFilesFolder()) + L"\\Provisioner";
  return Place{folder, folder + L"\\provisioner.exe", folder + L"\\signer.cer"};
}

Result<FileHandle> HoldProgramFolder(const Place& place) { return HoldFolder(place.folder, PathUse::kPrograms); }

Result<std::string> OwnBytes() {
  std::wstring path(32'768, L'\0');
  const DWORD size = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  if (size == 0 || size >= path.size()) return WindowsFailure("cannot find this program", GetLastError(), "");
  path.resize(size);
  return ReadFile(Narrow(path), kMostProgramBytes);
}

// nullopt: there is none.
Result<std::optional<std::string>> InstalledBytes(const std::wstring& path, std::uint64_t limit) {
  const FileHandle file = PROV_TRY(OpenTrusted(path, PathUse::kPrograms, GENERIC_READ, kShareAll, 0));
  if (!file) return std::nullopt;
  return PROV_TRY(ReadAll(file, limit, path));
}

// The bytes of ours that is there. nullopt: there is none, or others can change it, so that it is replaced whatever it
// holds by now.
Result<std::optional<std::string>> OwnedBytes(const std::wstring& path, std::uint64_t limit) {
  Result<std::optional<std::string>> bytes = InstalledBytes(path, limit);
  if (!bytes && bytes.error().code == Code::kOwner) return std::nullopt;
  return bytes;
}

// Names for programs that are in use and were replaced or removed. Those that are not in use any more go.
constexpr auto kAside = std::to_array<std::wstring_view>({L".old", L".old2", L".old3", L".old4", L".old5", L".old6"});

// Also what a run that was cut short has not put in its place.
void RemoveSetAside(const Place& place) {
  for (const std::wstring& path : {place.program, place.signer}) DeleteFileW((path + L".new").c_str());
  for (const std::wstring_view suffix : kAside) DeleteFileW((place.program + std::wstring(suffix)).c_str());
}

// A running program can't be removed, but it can be renamed. The name that it has then; empty: error in GetLastError.
std::wstring SetAside(const Place& place) {
  for (const std::wstring_view suffix : kAside) {
    std::wstring name = place.program + std::wstring(suffix);
    if (MoveFileExW(place.program.c_str(), name.c_str(), MOVEFILE_WRITE_THROUGH) != 0) return name;
    const DWORD error = GetLastError();
    if (error != ERROR_ALREADY_EXISTS && error != ERROR_FILE_EXISTS) break;
  }
  return {};
}

void RemoveNowOrAtNextBoot(const std::wstring& path) {
  if (DeleteFileW(path.c_str()) == 0) MoveFileExW(path.c_str(), nullptr, MOVEFILE_DELAY_UNTIL_REBOOT);
}

// Makes the folder, or refuses one that is not administrators' alone.
Result<FileHandle> MakeProgramFolder(const Place& place) {
  PROV_TRY(MakeFolder(place.folder, kProgramFolderSddl));
  FileHandle held = PROV_TRY(HoldProgramFolder(place));
  if (!held) return Fail(Code::kIo, "somebody removed the folder just now: run this again", Narrow(place.folder));
  return held;
}

// `path` is what `fresh` will become.
Result<void> WriteBeside(const std::wstring& path, const std::wstring& fresh, std::string_view bytes) {
  DeleteFileW(fresh.c_str());  // left by a run that was cut short
  const FileHandle file = PROV_TRY(MakeFile(fresh, kProgramFileSddl, GENERIC_WRITE, CREATE_NEW));
  Result<void> written = WriteAndFlush(file, bytes, fresh);
  if (!written) written.error().where = Narrow(path);
  return written;
}

// In one step where the program does not run; else there is no program of that name for an instant, which the next
// InstallProgram heals.
Result<void> PutInPlace(const Place& place, const std::wstring& fresh) {
  if (MoveFileExW(fresh.c_str(), place.program.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) {
    return {};
  }
  const std::wstring aside = SetAside(place);
  if (aside.empty()) return WindowsFailure("cannot replace the program", GetLastError(), Narrow(place.program));
  const DWORD error = MoveOver(fresh, place.program);
  if (error != ERROR_SUCCESS) {
    MoveFileExW(aside.c_str(), place.program.c_str(), MOVEFILE_WRITE_THROUGH);
    return WindowsFailure("cannot put the program in its place", error, Narrow(place.program));
  }
  RemoveNowOrAtNextBoot(aside);
  return {};
}

class WindowsInstallation final : public Installation {
 public:
  Result<std::string> ProgramPath() override { return Narrow(PROV_TRY(ProgramPlace()).program); }

  Result<bool> InstallProgram() override {
    const Place place = PROV_TRY(ProgramPlace());
    const std::string bytes = PROV_TRY(OwnBytes());
    const FileHandle held = PROV_TRY(MakeProgramFolder(place));
    RemoveSetAside(place);
    if (PROV_TRY(OwnedBytes(place.program, kMostProgramBytes)) == bytes) return false;
    const std::wstring fresh = place.program + L".new";
    Result<void> installed = WriteBeside(place.program, fresh, bytes);
    if (installed) installed = PutInPlace(place, fresh);
    if (!installed) {
      DeleteFileW(fresh.c_str());
      return std::unexpected(std::move(installed).error());
    }
    return true;
  }

  // The folder stays if there is something in it that is not ours.
  Result<bool> RemoveProgram() override {
    const Place place = PROV_TRY(ProgramPlace());
    {
      const FileHandle held = PROV_TRY(HoldProgramFolder(place));
      if (!held) return false;
      PROV_TRY(RemoveProgramFile(place));
      PROV_TRY(RemoveSignerFile(place));
    }
    if (RemoveDirectoryW(place.folder.c_str()) == 0) {
      MoveFileExW(place.folder.c_str(), nullptr, MOVEFILE_DELAY_UNTIL_REBOOT);
    }
    return true;
  }

  Result<std::optional<std::string>> PinnedSigner() override {
    const Place place = PROV_TRY(ProgramPlace());
    const FileHandle held = PROV_TRY(HoldProgramFolder(place));
    if (!held) return std::nullopt;
    return InstalledBytes(place.signer, kMostSignerBytes);
  }

  Result<bool> PinSigner(std::string_view der) override {
    const Place place = PROV_TRY(ProgramPlace());
    const FileHandle held = PROV_TRY(MakeProgramFolder(place));
    if (PROV_TRY(OwnedBytes(place.signer, kMostSignerBytes)) == der) return false;
    const std::wstring fresh = place.signer + L".new";
    PROV_TRY(WriteBeside(place.signer, fresh, der));
    const DWORD error = MoveOver(fresh, place.signer);
    if (error == ERROR_SUCCESS) return true;
    DeleteFileW(fresh.c_str());
    return WindowsFailure("cannot put the signer in its place", error, Narrow(place.signer));
  }

  Result<std::string> SetupScriptsFolder() override { return Narrow(PROV_TRY(WindowsFolder())) + R"(\Setup\Scripts)"; }

  Result<void> CheckSource(std::string_view path) override { return CheckFollowed(LivePaths(), path); }
  Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit) override {
    return machine::ReadFollowed(LivePaths(), path, limit);
  }

  Result<void> RemoveFile(std::string_view path) override { return RemovePlainFile(path); }

  Result<void> RemoveState() override {
    const std::string folder = PROV_TRY(DefaultStateFolder());
    const std::wstring wide = Wide(folder);
    {
      const FileHandle held = PROV_TRY(HoldFolder(wide, PathUse::kSecrets));
      if (!held) return {};
      const Lock lock = PROV_TRY(AcquireLock(folder));  // not under another run
    }
    return RemoveTree(wide);
  }

 private:
  static Result<void> RemoveSignerFile(const Place& place) {
    if (DeleteFileW(place.signer.c_str()) != 0 || GetLastError() == ERROR_FILE_NOT_FOUND) return {};
    return WindowsFailure("cannot remove the pinned signer", GetLastError(), Narrow(place.signer));
  }

  // Renamed before it is left to the next boot: a program that is installed again until then must not go with it.
  static Result<void> RemoveProgramFile(const Place& place) {
    RemoveSetAside(place);
    if (DeleteFileW(place.program.c_str()) != 0 || GetLastError() == ERROR_FILE_NOT_FOUND) return {};
    const std::wstring aside = SetAside(place);
    if (aside.empty()) return WindowsFailure("cannot remove the program", GetLastError(), Narrow(place.program));
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
