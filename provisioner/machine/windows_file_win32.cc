
#include <vector>

#include "provisioner/machine/folder_security.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

using Text = LocalMemory<wchar_t*>;
using Descriptor = LocalMemory<PSECURITY_DESCRIPTOR>;

std::string SidText(PSID sid) {
  Text text;
  return ConvertSidToStringSidW(sid, text.out()) != 0 ? Narrow(text.get()) : std::string();
}

// Wine has no security of its own: it maps Unix owners and modes to descriptors in which the account that runs it
// stands where Windows has administrators. Windows' ntdll has no such function, and nobody can add one.
bool RunsUnderWine() { return GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr; }

std::string AccountUnderWine() {
  HANDLE token = nullptr;
  if (!RunsUnderWine() || OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return {};
  const FileHandle owned(token);
  std::vector<char> buffer(SECURITY_MAX_SID_SIZE + sizeof(TOKEN_USER));
  DWORD size = static_cast<DWORD>(buffer.size());
  if (GetTokenInformation(token, TokenUser, buffer.data(), size, &size) == 0) return {};
  return SidText(reinterpret_cast<const TOKEN_USER*>(buffer.data())->User.Sid);
}

Result<PathFacts> FactsOf(HANDLE handle, const std::string& where) {
  PathFacts facts;
  BY_HANDLE_FILE_INFORMATION information{};
  if (GetFileInformationByHandle(handle, &information) == 0) {
    return WindowsFailure("cannot look at the file", GetLastError(), where);
  }
  facts.reparse_point = (information.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  PSID owner = nullptr;
  Descriptor descriptor;
  const DWORD error = GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                      &owner, nullptr, nullptr, nullptr, descriptor.out());
  if (error != ERROR_SUCCESS) return WindowsFailure("cannot read who may use the file", error, where);
  facts.owner = SidText(owner);
  Text dacl;
  if (ConvertSecurityDescriptorToStringSecurityDescriptorW(descriptor.get(), SDDL_REVISION_1, DACL_SECURITY_INFORMATION,
                                                           dacl.out(), nullptr) == 0) {
    return WindowsFailure("cannot read who may use the file", GetLastError(), where);
  }
  facts.dacl = Narrow(dacl.get());
  return facts;
}

}  // namespace

Result<FileHandle> OpenSecret(const std::wstring& path, DWORD access, DWORD share, DWORD flags) {
  FileHandle handle(CreateFileW(path.c_str(), access | READ_CONTROL, share, nullptr, OPEN_EXISTING,
                                flags | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  const std::string where = Narrow(path);
  if (!handle) {
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND) return handle;
    return WindowsFailure("cannot open", error, where);
  }
  const PathFacts facts = PROV_TRY(FactsOf(handle.get(), where));
  PROV_TRY(CheckPathSecurity(facts, PathUse::kSecrets, where, AccountUnderWine()));
  return handle;
}

Result<FileHandle> MakeSecretFile(const std::wstring& path, DWORD access, DWORD disposition) {
  SecurityAttributes security = PROV_TRY(SecurityAttributes::FromSddl(kSecretFileSddl));
  constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  FileHandle handle(CreateFileW(path.c_str(), access, kShareAll, security.get(), disposition,
                                FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!handle) return WindowsFailure("cannot make the file", GetLastError(), Narrow(path));
  return handle;
}

Result<void> MakeSecretFolder(const std::wstring& path) {
  SecurityAttributes security = PROV_TRY(SecurityAttributes::FromSddl(kSecretFolderSddl));
  if (CreateDirectoryW(path.c_str(), security.get()) != 0 || GetLastError() == ERROR_ALREADY_EXISTS) return {};
  return WindowsFailure("cannot make the folder", GetLastError(), Narrow(path));
}

}  // namespace prov::machine
