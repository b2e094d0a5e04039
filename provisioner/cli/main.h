// The program: finds the command, runs it, prints what it returns, maps errors to exit codes.
#pragma once

namespace prov::cli {

int Main(int argc, char** argv);

}  // namespace prov::cli
