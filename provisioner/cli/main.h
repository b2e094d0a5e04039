// The program: finds the command, runs it, prints its result, and maps errors to exit codes.
#pragma once

#include <vector>

#include "provisioner/cli/options.h"

namespace prov::cli {

int Main(int argc, char** argv);

// After this call, std::terminate and std::abort print one line and exit with 20, so that a defect does not look like a
// result.
void EndDefectsWithExit20();

// The specs of all commands, in the order of provisioner --help.
std::vector<CommandSpec> CommandSpecs();

}  // namespace prov::cli
