// Port: other programs that a command runs, and whose output it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

struct ProgramCall {
  std::string path;  // from Find(), or given by the user
  std::vector<std::string> arguments;
  std::int64_t timeout_milliseconds = 0;
  std::size_t most_bytes = 0;  // limit for each output
};

struct ProgramOutput {
  int exit = 0;
  std::string out;
  std::string err;
};

class Programs {
 public:
  virtual ~Programs() = default;

  // Searches the folders of PATH for the program `name`, but neither the current folder nor this program's. nullopt:
  // not found.
  virtual std::optional<std::string> Find(std::string_view name) = 0;
  // Checks that only administrators can change this file, so that a service may run it. Errors: those of CheckFollowed.
  virtual Result<void> CheckFile(std::string_view path) = 0;
  // Runs it without a shell, with empty standard input. Errors: target (it can't be started, or is killed because it
  // does not end in time), too-large.
  virtual Result<ProgramOutput> Run(const ProgramCall& call) = 0;
};

// For a host that is not a running Windows, such as an image: finds no program, and Run fails (target).
Programs& AbsentPrograms();

}  // namespace prov::machine
