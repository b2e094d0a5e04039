// The program's output to terminals: messages of one line each, with control characters made safe, coloured on a
// terminal. And words for the shell there.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
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
// Errors first, then warnings. Known limits share one line, unless `all`.
void PrintFindings(std::FILE* to, const Findings& findings, bool all = true);

bool IsTerminal(std::FILE* file);

// Whether `file` is a terminal that supports colours (NO_COLOR unset, TERM not dumb).
bool SupportsColour(std::FILE* file);

// "it's" as one word of a command: 'it''s' in PowerShell, which is the shell on Windows, and 'it'\''s' elsewhere.
std::string QuotedForShell(std::string_view text);

// Shows the progress of a long run on a terminal: one line that is overwritten, and removed at the end.
class Progress {
 public:
  // Prints nothing unless standard error is a terminal, or if the run ends at once.
  explicit Progress(std::string_view what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Show(std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{200};

  std::string_view what_;
  bool terminal_;
  std::size_t printed_ = 0;  // characters on the line
  Clock::time_point next_;
};

// Makes a write beyond the limit on file sizes (ulimit -f) fail with an error. By default the signal kills the process,
// which would leave a half-written folder behind.
void MakeFailedWritesErrors();

}  // namespace prov::cli
