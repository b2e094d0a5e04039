// The check of path_security.h for an open file. Only *_win32.cc may include it.
#pragma once

#include "provisioner/base/path_security.h"
#include "provisioner/base/windows_api.h"

namespace prov::win32 {

// CheckPathSecurity() of a file or folder that was opened with READ_CONTROL. Errors: owner, io.
Result<void> CheckTrusted(const Handle& file, PathUse use, const std::string& where, Shares shares = Shares::kRefused);

}  // namespace prov::win32
