// Other people's programs that read and write hives, run through the shell.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace prov::images::testing {

struct Output {
  int exit = -1;
  std::string text;
};

// Runs a shell command; its standard error is not looked at.
inline Output Shell(const std::string& command) {
  Output out;
  FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[65536];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.text.append(buffer, n);
  const int status = pclose(pipe);
  out.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

inline bool IsInstalled(const std::string& tool) { return Shell("command -v " + tool).exit == 0; }

#define REQUIRE_TOOL(tool)                         \
  if (!::prov::images::testing::IsInstalled(tool)) \
  GTEST_SKIP() << "NOT RUN: " << (tool)            \
               << " is not installed (Debian packages: libhivex-bin, libwin-hivex-perl, reglookup, chntpw)"

}  // namespace prov::images::testing
