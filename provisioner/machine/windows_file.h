// Files and folders that only administrators may read, or change. Only *_win32.cc may include it.
#pragma once

#include <string_view>

#include "images/tree/image_tree.h"
#include "provisioner/base/path_security_win32.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

using images::FileUse;  // kSecret: for administrators alone; kPlain: Users may read and execute

// Opens an existing file or folder, and a link itself rather than its target. Refuses it (owner) if others than
// administrators own it or have rights on it that `use` forbids. Adds READ_CONTROL to `access`. An empty handle: it
// does not exist.
Result<FileHandle> OpenTrusted(const std::wstring& path, PathUse use, DWORD access, DWORD share, DWORD flags);
inline Result<FileHandle> OpenSecret(const std::wstring& path, DWORD access, DWORD share, DWORD flags) {
  return OpenTrusted(path, PathUse::kSecrets, access, share, flags);
}

// Opens a folder so that it can't be replaced while the handle is open. Windows enforces sharing only for handles that
// may read the folder, hence the access. An empty handle: it does not exist.
inline Result<FileHandle> HoldFolder(const std::wstring& path, PathUse use) {
  return OpenTrusted(path, use, FILE_LIST_DIRECTORY, FILE_SHARE_READ | FILE_SHARE_WRITE, FILE_FLAG_BACKUP_SEMANTICS);
}

// Makes and opens a file with the security of its use (file_security.h); `disposition` is CREATE_NEW or OPEN_ALWAYS.
Result<FileHandle> MakeFile(const std::wstring& path, FileUse use, DWORD access, DWORD disposition);
inline Result<FileHandle> MakeSecretFile(const std::wstring& path, DWORD access, DWORD disposition) {
  return MakeFile(path, FileUse::kSecret, access, disposition);
}

// Makes a folder with the security of its use, unless it exists.
Result<void> MakeFolder(const std::wstring& path, FileUse use);

// `path` is for messages.
Result<void> WriteAndFlush(const FileHandle& file, std::string_view bytes, const std::wstring& path);

// Replaces another file durably. Retries for a while, because virus scanners and indexers hold new files open for a
// moment. Returns ERROR_SUCCESS or the error.
inline DWORD MoveOver(const std::wstring& from, const std::wstring& to) {
  return win32::Move(from, to, MOVEFILE_REPLACE_EXISTING);
}

}  // namespace prov::machine
