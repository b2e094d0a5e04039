// What this program was made of.
#pragma once

#include <string>

namespace prov::cli {

// Some lines of text: the version, the commit and the compiler; then each library that is linked in, with its own word
// for its version and, where it is known, the package that it came from.
std::string VersionText();

}  // namespace prov::cli
