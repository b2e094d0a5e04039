// Port: other people's programs that a command runs, and whose output it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

struct ProgramCall {
  std::string path;  // as Find() gives it, or as somebody named it
  std::vector<std::string> arguments;
  std::int64_t timeout_milliseconds = 0;
  std::size_t most_bytes = 0;  // of each output
};

struct ProgramOutput {
  int exit = 0;
  std::string out;
  std::string err;
};

class Programs {
 public:
  virtual ~Programs() = default;

  // The path of the program `name`, searched in the folders of PATH only: neither the current folder nor this
  // program's. nullopt: not found.
  virtual std::optional<std::string> Find(std::string_view name) = 0;
  // Checks that only administrators can change this file, so that a service may run it. Errors: those of CheckFollowed.
  virtual Result<void> CheckFile(std::string_view path) = 0;
  // Runs it without a shell, with empty standard input. Errors: target (it can't be started, or does not end in time
  // and is killed), too-large.
  virtual Result<ProgramOutput> Run(const ProgramCall& call) = 0;
};

// For a host that is not a running Windows, such as an image: finds and runs nothing (target).
Programs& AbsentPrograms();

}  // namespace prov::machine
