#include "images/tree/file_security.h"
#include "provisioner/machine/windows_file.h"

namespace prov::machine {

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
