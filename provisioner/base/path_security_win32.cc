#include "provisioner/base/path_security_win32.h"

#include "provisioner/base/opened_file.h"
// clang-format off: it needs windows.h
#include <winternl.h>
// clang-format on

namespace prov {
namespace {

using OwnedText = win32::LocalMemory<wchar_t*>;
using OwnedDescriptor = win32::LocalMemory<PSECURITY_DESCRIPTOR>;

std::string SidText(PSID sid) {
  OwnedText text;
  return ConvertSidToStringSidW(sid, text.out()) != 0 ? win32::Narrow(text.get()) : std::string();
}

// Whether a network redirector serves it, whatever its path looks like: a drive letter may stand for a share.
Result<bool> IsOnShare(HANDLE handle, const std::string& where) {
  constexpr ULONG kRemoteDevice = 0x10;  // FILE_REMOTE_DEVICE, which only the headers for drivers have
  FILE_FS_DEVICE_INFORMATION device{};
  IO_STATUS_BLOCK block{};
  const NTSTATUS status = NtQueryVolumeInformationFile(handle, &block, &device, sizeof device, FileFsDeviceInformation);
  if (status < 0) {
    return win32::Failure(Code::kIo, "cannot look at the volume", where, RtlNtStatusToDosError(status));
  }
  return (device.Characteristics & kRemoteDevice) != 0;
}

Result<PathFacts> FactsOf(HANDLE handle, const std::string& where) {
  PathFacts facts;
  BY_HANDLE_FILE_INFORMATION information{};
  if (GetFileInformationByHandle(handle, &information) == 0) {
    return win32::Failure(Code::kIo, "cannot look at the file", where);
  }
  facts.reparse_point = (information.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
  facts.folder = (information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  PSID owner = nullptr;
  OwnedDescriptor descriptor;
  const DWORD error = GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                      &owner, nullptr, nullptr, nullptr, descriptor.out());
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot read who may use the file", where, error);
  facts.owner = SidText(owner);
  OwnedText dacl;
  if (ConvertSecurityDescriptorToStringSecurityDescriptorW(descriptor.get(), SDDL_REVISION_1, DACL_SECURITY_INFORMATION,
                                                           dacl.out(), nullptr) == 0) {
    return win32::Failure(Code::kIo, "cannot read who may use the file", where);
  }
  facts.dacl = win32::Narrow(dacl.get());
  facts.on_share = PROV_TRY(IsOnShare(handle, where));
  return facts;
}

}  // namespace

Result<void> win32::CheckTrusted(const Handle& file, PathUse use, const std::string& where, Shares shares) {
  PathFacts facts = PROV_TRY(FactsOf(file.get(), where));
  if (shares == Shares::kSigned) facts.on_share = false;
  // Wine derives descriptors from Unix modes and knows no sticky bit, so it would refuse every path through /tmp.
  const bool passed = use == PathUse::kPassage || use == PathUse::kVolume;
  if (passed && !facts.reparse_point && win32::RunsUnderWine()) return {};
  return CheckPathSecurity(facts, use, where, AccountForAdministrators());
}

std::string AccountForAdministrators() { return win32::RunsUnderWine() ? win32::AccountSid() : std::string(); }

Result<std::string> ReadTrustedFile(const std::string& path, std::uint64_t limit) {
  // Without FILE_SHARE_WRITE: a program that opened it while its rights were weaker could otherwise change it.
  const win32::Handle file(CreateFileW(win32::Path(path).c_str(), GENERIC_READ | READ_CONTROL,
                                       FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING, 0, nullptr));
  if (!file) return win32::PathFailure("cannot open", path);
  PROV_TRY(win32::CheckTrusted(file, PathUse::kFollowed, path));
  return ReadOpened(reinterpret_cast<NativeFile>(file.get()), path, limit);
}

}  // namespace prov
