// Removing what this program or its payload left. Only *_win32.cc may include it.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

// Installation::RemoveFile. Errors: usage (not a full plain path), link (a link is on the way, or there), directory,
// io.
Result<void> RemovePlainFile(std::string_view path);

// A folder with all that is beneath it; links themselves, not what they lead to. Nobody else may be able to write
// there. Errors: io.
Result<void> RemoveTree(const std::wstring& folder);

}  // namespace prov::machine
