// Files and folders that only administrators may read, or change. Only *_win32.cc may include it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/machine/folder_security.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

// Opens what is there, a link itself rather than what it leads to, and refuses (owner) what others than administrators
// own or have rights on that `use` forbids. `access` gets READ_CONTROL added. An empty handle: there is nothing.
Result<FileHandle> OpenTrusted(const std::wstring& path, PathUse use, DWORD access, DWORD share, DWORD flags);
inline Result<FileHandle> OpenSecret(const std::wstring& path, DWORD access, DWORD share, DWORD flags) {
  return OpenTrusted(path, PathUse::kSecrets, access, share, flags);
}

// Makes and opens a file with the security `sddl`; `disposition` is CREATE_NEW or OPEN_ALWAYS.
Result<FileHandle> MakeFile(const std::wstring& path, std::string_view sddl, DWORD access, DWORD disposition);
inline Result<FileHandle> MakeSecretFile(const std::wstring& path, DWORD access, DWORD disposition) {
  return MakeFile(path, kSecretFileSddl, access, disposition);
}

// Makes a folder with the security `sddl`, unless there is one.
Result<void> MakeFolder(const std::wstring& path, std::string_view sddl);

// `path` is for messages. Errors of reading: too-large, io.
Result<std::string> ReadAll(const FileHandle& file, std::uint64_t limit, const std::wstring& path);
Result<void> WriteAndFlush(const FileHandle& file, std::string_view bytes, const std::wstring& path);

// Durably, in place of another file. Virus scanners and indexers hold a new file open for a moment, so it is tried for
// some time. ERROR_SUCCESS or why not.
DWORD MoveOver(const std::wstring& from, const std::wstring& to);

}  // namespace prov::machine
