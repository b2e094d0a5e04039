// The program's output to terminals: messages of one line each, with control characters made safe, coloured on a
// terminal.
#pragma once

#include <cstdio>
#include <string_view>

#include "provisioner/base/error.h"
#include "provisioner/base/finding.h"

namespace prov::cli {

// The escape sequences that begin and end a colour.
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kGreen = "\x1b[32m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kCyan = "\x1b[36m";
inline constexpr std::string_view kColourEnd = "\x1b[0m";

void PrintError(std::FILE* to, const Error& error);
void PrintFindings(std::FILE* to, const Findings& findings);

bool IsTerminal(std::FILE* file);

// Whether `file` is a terminal that supports colours (NO_COLOR unset, TERM not dumb).
bool SupportsColour(std::FILE* file);

// Makes a write beyond the limit on file sizes (ulimit -f) fail with an error. By default the signal kills the process,
// which would leave a half-written folder behind.
void MakeFailedWritesErrors();

}  // namespace prov::cli
