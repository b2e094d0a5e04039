// The same as beside_posix.h for Windows. An open file can't be deleted there, so leftovers of killed runs are the
// files that can be deleted.
#pragma once

#include <string>
#include <vector>

#include "provisioner/base/beside.h"

namespace prov::win32 {

// A new temporary name "FOLDER\.NAME.provisioner-XXXXXXXX" for the future `path`, in UTF-8.
std::string BesideOf(const std::string& path);

// The existing temporary names for `path`, in use or not.
std::vector<std::string> LeftoversOf(const std::string& path, Leftover which);

}  // namespace prov::win32
