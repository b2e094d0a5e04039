// Port: programs of others that a command runs and whose output it reads.
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

  // The file that runs as `name`, in the folders of PATH alone: neither the current folder nor this program's. nullopt:
  // there is none.
  virtual std::optional<std::string> Find(std::string_view name) = 0;
  // Whether only administrators can change this file, so that a service may run it. Errors: those of CheckFollowed.
  virtual Result<void> CheckFile(std::string_view path) = 0;
  // Runs it without a shell, with nothing on standard input. Errors: target (it can't be started, or does not end in
  // time: then it is ended), too-large.
  virtual Result<ProgramOutput> Run(const ProgramCall& call) = 0;
};

// Where no Windows runs: it finds and runs nothing (target).
Programs& AbsentPrograms();

}  // namespace prov::machine
