// The version of this program and of its parts, for --version and for reports.
#pragma once

#include <string>

namespace prov::cli {

// "0.1.0".
std::string VersionNumber();
// The versions of this program's parts, in several lines: the program's version, the commit and the compiler; then each
// linked library with the version that it reports and, if known, its package.
std::string VersionText();
// The same as `{"schema":1,"version","commit","compiler","target","libraries":[{"name","version","package"}]}`.
std::string VersionDocument();

}  // namespace prov::cli
