// Files and folders that only administrators may read, or change. Only *_win32.cc may include it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/machine/folder_security.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

// The check of the function below, for what was opened with READ_CONTROL. Errors: owner, io.
Result<void> CheckTrusted(const FileHandle& file, PathUse use, const std::string& where);

// Opens what is there, a link itself rather than what it leads to, and refuses (owner) what others than administrators
// own or have rights on that `use` forbids. `access` gets READ_CONTROL added. An empty handle: there is nothing.
Result<FileHandle> OpenTrusted(const std::wstring& path, PathUse use, DWORD access, DWORD share, DWORD flags);
inline Result<FileHandle> OpenSecret(const std::wstring& path, DWORD access, DWORD share, DWORD flags) {
  return OpenTrusted(path, PathUse::kSecrets, access, share, flags);
}

// A folder that stays where it is while the handle is open: nobody can put another one in its place. Sharing is minded
// only by those who may read what is in it, hence the access. An empty handle: there is none.
inline Result<FileHandle> HoldFolder(const std::wstring& path, PathUse use) {
  return OpenTrusted(path, use, FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE, FILE_FLAG_BACKUP_SEMANTICS);
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
inline DWORD MoveOver(const std::wstring& from, const std::wstring& to) {
  return win32::Move(from, to, MOVEFILE_REPLACE_EXISTING);
}

}  // namespace prov::machine
