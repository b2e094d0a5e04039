// The program: finds the command, runs it, prints its result, and maps errors to exit codes.
#pragma once

#include <string>

namespace prov::cli {

int Main(int argc, char** argv);

// After this call, std::terminate and std::abort print one line and exit with 20, so that a defect does not look like a
// result.
void EndDefectsWithExit20();

// "0.1.0".
std::string VersionNumber();
// The versions of this program's parts (version.cc), in several lines: the program's version, the commit and the
// compiler; then each linked library with the version that it reports and, if known, its package.
std::string VersionText();
// The same as `{"schema":1,"version","commit","compiler","target","libraries":[{"name","version","package"}]}`.
std::string VersionDocument();

}  // namespace prov::cli
