// As beside_posix.h, where what is open can't be deleted: leftovers of runs that were killed are those that can.
#pragma once

#include <string>
#include <vector>

namespace prov::win32 {

// A new name "FOLDER\.NAME.provisioner-XXXXXXXX" for what shall become `path`, as UTF-8.
std::string BesideOf(const std::string& path);

enum class Leftover { kUnfinished, kReplaced };  // kReplaced: moved aside, with ".old" behind its name
// What there is of such names for `path`, in use or not.
std::vector<std::string> LeftoversOf(const std::string& path, Leftover which);

}  // namespace prov::win32
