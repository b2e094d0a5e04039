// Files and folders that only administrators may read. Only *_win32.cc may include it.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

// Opens what is there, a link itself rather than what it leads to, and refuses (owner) what others than administrators
// own or have rights on. `access` gets READ_CONTROL added. An empty handle: there is nothing.
Result<FileHandle> OpenSecret(const std::wstring& path, DWORD access, DWORD share, DWORD flags);

// Makes and opens a file for administrators; `disposition` is CREATE_NEW or OPEN_ALWAYS.
Result<FileHandle> MakeSecretFile(const std::wstring& path, DWORD access, DWORD disposition);

// Makes a folder for administrators, unless there is one.
Result<void> MakeSecretFolder(const std::wstring& path);

}  // namespace prov::machine
