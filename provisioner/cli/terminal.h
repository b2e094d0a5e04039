// Where the program writes. Messages for people: one line each, safe for a terminal, coloured if it is one.
#pragma once

#include <cstdio>

#include "provisioner/base/error.h"
#include "provisioner/base/finding.h"

namespace prov::cli {

void PrintError(std::FILE* to, const Error& error);
void PrintFindings(std::FILE* to, const Findings& findings);

bool IsTerminal(std::FILE* file);

// Whether `file` is a terminal that takes colours (NO_COLOR unset, TERM not dumb).
bool SupportsColour(std::FILE* file);

// Makes a write beyond the limit on file sizes (ulimit -f) fail with an error. By default it kills the process, which
// would leave a half-written folder behind.
void MakeFailedWritesErrors();

}  // namespace prov::cli
