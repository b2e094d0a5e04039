// Where the program writes. Messages for people: one line each, safe for a terminal, coloured where there is one.
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

// A write beyond the limit on file sizes (ulimit -f) is then an error of that write; by default it kills, which would
// leave a half-written folder behind.
void MakeFailedWritesErrors();

}  // namespace prov::cli
