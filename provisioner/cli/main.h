// The program: finds the command, runs it, prints what it returns, maps errors to exit codes.
#pragma once

#include <string>

namespace prov::cli {

int Main(int argc, char** argv);

// A defect must not look like a result: from now on whatever ends the program by std::terminate or std::abort prints
// one line and exits 20.
void EndDefectsWithExit20();

// "0.1.0".
std::string VersionNumber();
// What this program was made of (version.cc), some lines of text: the version, the commit and the compiler; then each
// library that is linked in, with its own word for its version and, where it is known, the package that it came from.
std::string VersionText();
// The same as `{"schema":1,"version","commit","compiler","target","libraries":[{"name","version","package"}]}`.
std::string VersionDocument();

}  // namespace prov::cli
