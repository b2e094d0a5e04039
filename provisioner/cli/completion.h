// Shell completion, generated from the option tables only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/cli/options.h"

namespace prov::cli {

// The possible values of an option.
struct CompletedValue {
  std::vector<std::string_view> words;
  bool files = false;  // with neither words nor files, the value can be anything, so nothing is offered
};
// The values from `choices`, or else from the placeholder: "text|json" gives two words, "FILE|in-cluster" files and a
// word.
CompletedValue CompletedValueOf(const OptionSpec& option);

// The action words, one of which follows the command's name: "install" and "uninstall" of "install|uninstall".
std::vector<std::string_view> ActionsOf(const CommandSpec& command);

// Whether positional words can be files.
bool TakesFiles(const CommandSpec& command);

// A script in ASCII that completes the command lines of `provisioner` in bash, zsh or powershell. It needs only
// the shell and does not run the program. nullopt for another shell.
std::optional<std::string> CompletionScript(std::string_view shell, std::span<const CommandSpec> commands);

// One for each shell, for CompletionScript().
std::string BashCompletion(std::span<const CommandSpec> commands);
std::string ZshCompletion(std::span<const CommandSpec> commands);
std::string PowerShellCompletion(std::span<const CommandSpec> commands);

}  // namespace prov::cli
