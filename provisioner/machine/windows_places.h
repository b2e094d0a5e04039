// The folders of Windows that this program needs. They do not come from the environment, which is controlled by whoever
// starts the program. Only *_win32.cc may include it.
#pragma once

#include "provisioner/base/result.h"

namespace prov::machine {

// Without a backslash at the end. Errors: target.
Result<std::wstring> ProgramDataFolder();   // C:\ProgramData
Result<std::wstring> ProgramFilesFolder();  // C:\Program Files, the one of 64-bit programs
Result<std::wstring> WindowsFolder();       // C:\Windows

}  // namespace prov::machine
