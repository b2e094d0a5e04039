#include "provisioner/machine/windows_calls.h"
#include "provisioner/machine/windows_places.h"

namespace prov::machine {
namespace {

constexpr std::wstring_view kSystemDrive = L"%SystemDrive%";

// Reads a folder from the system's own list, without expanding variables.
Result<std::wstring> MachineFolder(const wchar_t* key, const wchar_t* name) {
  wchar_t text[MAX_PATH] = {};
  DWORD size = sizeof(text);
  constexpr DWORD kAnyText = RRF_RT_REG_SZ | RRF_RT_REG_EXPAND_SZ | RRF_NOEXPAND | RRF_SUBKEY_WOW6464KEY;
  const LSTATUS status = RegGetValueW(HKEY_LOCAL_MACHINE, key, name, kAnyText, nullptr, text, &size);
  if (status != ERROR_SUCCESS) {
    return Fail(Code::kTarget, "Windows does not say where its folder is", Narrow(name));
  }
  std::wstring path = text;
  if (_wcsnicmp(path.c_str(), kSystemDrive.data(), kSystemDrive.size()) == 0) {
    const std::wstring windows = PROV_TRY(WindowsFolder());
    path.replace(0, kSystemDrive.size(), windows, 0, windows.find(L'\\'));
  }
  if (path.size() < 4 || path[1] != L':' || path[2] != L'\\' || path.find(L'%') != std::wstring::npos) {
    return Fail(Code::kTarget,
                "Windows says that this folder is at \"" + Narrow(path) + "\", which is not a plain path",
                Narrow(name));
  }
  while (path.back() == L'\\') path.pop_back();
  return path;
}

}  // namespace

// The shell's call would expand %ProgramData% from the environment.
Result<std::wstring> ProgramDataFolder() {
  return MachineFolder(L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\ProfileList", L"ProgramData");
}

Result<std::wstring> ProgramFilesFolder() {
  return MachineFolder(L"SOFTWARE\\Microsoft\\Windows\\CurrentVersion", L"ProgramFilesDir");
}

// GetWindowsDirectory could return the private folder of a terminal server session.
Result<std::wstring> WindowsFolder() {
  wchar_t path[MAX_PATH] = {};
  const UINT size = GetSystemWindowsDirectoryW(path, MAX_PATH);
  if (size == 0 || size >= MAX_PATH) return Fail(Code::kTarget, "Windows does not say where its own folder is");
  return std::wstring(path, size);
}

}  // namespace prov::machine
