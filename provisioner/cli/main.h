// The program: finds the command, runs it, prints what it returns, maps errors to exit codes.
#pragma once

#include <string>

namespace prov::cli {

int Main(int argc, char** argv);

// From now on, whatever ends the program by std::terminate or std::abort prints one line and exits 20, so that a defect
// does not look like a result.
void EndDefectsWithExit20();

// "0.1.0".
std::string VersionNumber();
// The versions of what this program was built from (version.cc), in several lines: the program's version, the commit
// and the compiler; then each library that is linked in, with the version that it states and, if known, its package.
std::string VersionText();
// The same as `{"schema":1,"version","commit","compiler","target","libraries":[{"name","version","package"}]}`.
std::string VersionDocument();

}  // namespace prov::cli
