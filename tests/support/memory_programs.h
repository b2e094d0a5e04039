// Programs of others in memory: what each command line prints.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "provisioner/machine/programs.h"

namespace prov::testing_support {

class MemoryPrograms final : public machine::Programs {
 public:
  std::map<std::string, std::string, std::less<>> in_path;  // names to files
  std::map<std::string, machine::ProgramOutput> outputs;    // by the words of a call; others fail
  std::vector<std::string> writable;                        // files that users can change
  std::vector<std::string> log;                             // "FILE WORD WORD"

  // machine::Programs
  std::optional<std::string> Find(std::string_view name) override {
    const auto found = in_path.find(name);
    return found == in_path.end() ? std::nullopt : std::optional(found->second);
  }
  Result<void> CheckFile(std::string_view path) override {
    if (std::ranges::find(writable, path) == writable.end()) return {};
    return Fail(Code::kOwner, "can be changed by everybody", std::string(path));
  }
  Result<machine::ProgramOutput> Run(const machine::ProgramCall& call) override {
    const std::string words = fmt::format("{}", fmt::join(call.arguments, " "));
    log.push_back(fmt::format("{} {}", call.path, words));
    const auto found = outputs.find(words);
    if (found != outputs.end()) return found->second;
    return machine::ProgramOutput{1, "", "level=fatal msg=\"the container was not found\"\n"};
  }
};

}  // namespace prov::testing_support
