#include "images/tree/file_security.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {
namespace {

using OwnedText = LocalMemory<wchar_t*>;
using Descriptor = LocalMemory<PSECURITY_DESCRIPTOR>;

std::string SidText(PSID sid) {
  OwnedText text;
  return ConvertSidToStringSidW(sid, text.out()) != 0 ? Narrow(text.get()) : std::string();
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
  Descriptor descriptor;
  const DWORD error = GetSecurityInfo(handle, SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION,
                                      &owner, nullptr, nullptr, nullptr, descriptor.out());
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot read who may use the file", where, error);
  facts.owner = SidText(owner);
  OwnedText dacl;
  if (ConvertSecurityDescriptorToStringSecurityDescriptorW(descriptor.get(), SDDL_REVISION_1, DACL_SECURITY_INFORMATION,
                                                           dacl.out(), nullptr) == 0) {
    return win32::Failure(Code::kIo, "cannot read who may use the file", where);
  }
  facts.dacl = Narrow(dacl.get());
  return facts;
}

}  // namespace

Result<void> CheckTrusted(const FileHandle& file, PathUse use, const std::string& where) {
  const PathFacts facts = PROV_TRY(FactsOf(file.get(), where));
  // Wine derives descriptors from Unix modes and knows no sticky bit, so it would refuse every path through /tmp.
  const bool passed = use == PathUse::kPassage || use == PathUse::kVolume;
  if (passed && !facts.reparse_point && win32::RunsUnderWine()) return {};
  return CheckPathSecurity(facts, use, where, AccountForAdministrators());
}

Result<FileHandle> OpenTrusted(const std::wstring& path, PathUse use, DWORD access, DWORD share, DWORD flags) {
  FileHandle handle(CreateFileW(path.c_str(), access | READ_CONTROL, share, nullptr, OPEN_EXISTING,
                                flags | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  const std::string where = Narrow(path);
  if (!handle) {
    const DWORD error = GetLastError();
    if (error == ERROR_FILE_NOT_FOUND) return handle;
    return win32::Failure(Code::kIo, "cannot open", where, error);
  }
  PROV_TRY(CheckTrusted(handle, use, where));
  return handle;
}

Result<FileHandle> MakeFile(const std::wstring& path, FileUse use, DWORD access, DWORD disposition) {
  SecurityAttributes security = PROV_TRY(SecurityAttributes::FromSddl(images::FileSddl(use)));
  FileHandle handle(CreateFileW(path.c_str(), access, kShareAll, security.get(), disposition,
                                FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!handle) return win32::Failure(Code::kIo, "cannot make the file", Narrow(path));
  return handle;
}

Result<void> MakeFolder(const std::wstring& path, FileUse use) {
  SecurityAttributes security = PROV_TRY(SecurityAttributes::FromSddl(images::FolderSddl(use)));
  if (CreateDirectoryW(path.c_str(), security.get()) != 0 || GetLastError() == ERROR_ALREADY_EXISTS) return {};
  return win32::Failure(Code::kIo, "cannot make the folder", Narrow(path));
}

Result<void> WriteAndFlush(const FileHandle& file, std::string_view bytes, const std::wstring& path) {
  const DWORD error = win32::WriteAll(file.get(), bytes);
  if (error != ERROR_SUCCESS) return win32::Failure(Code::kIo, "cannot write", Narrow(path), error);
  if (FlushFileBuffers(file.get()) == 0) return win32::Failure(Code::kIo, "cannot flush", Narrow(path));
  return {};
}

}  // namespace prov::machine
