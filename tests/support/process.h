// Runs a program and keeps what it prints.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace prov::testing_support {

struct ProcessResult {
  int exit = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// `input` becomes standard input. `environment` adds to the inherited one. Output goes through files, so no pipe can
// fill up.
ProcessResult Run(const std::vector<std::string>& words, const std::string& input = "",
                  const std::vector<std::pair<std::string, std::string>>& environment = {});

using MainFunction = int(int, char**);

// The same for a program whose main() is in this one. On POSIX it runs in a copy of this process: a program that is
// built with sanitizers takes half a second to start. On Windows, words[0] is run.
ProcessResult RunCopy(MainFunction& main, const std::vector<std::string>& words, const std::string& input = "",
                      const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace prov::testing_support
