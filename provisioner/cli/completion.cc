// `completion`, and what the scripts of all shells take from the option tables.
#include "provisioner/cli/completion.h"

#include <algorithm>
#include <array>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/main.h"

namespace prov::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)(std::span<const CommandSpec> commands);
};
constexpr std::array kShells = {Shell{"bash", BashCompletion}, Shell{"zsh", ZshCompletion},
                                Shell{"powershell", PowerShellCompletion}};

// Whether a user types the word as it is; placeholders are in upper case.
bool IsTypedWord(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-/";
  return !text.empty() && text.front() != '-' && text.find_first_not_of(kLetters) == std::string_view::npos;
}

bool IsFile(std::string_view placeholder) {
  constexpr std::array<std::string_view, 7> kFiles = {"FILE", "DIR", "FOLDER", "PATH", "CERT", "KEY", "SOURCE"};
  return std::ranges::any_of(kFiles, [&](std::string_view name) { return placeholder.starts_with(name); });
}

Result<Outcome> RunCompletion(const Arguments& arguments, machine::Host& /*host*/) {
  const bool json = PROV_TRY(WantsJson(arguments));
  std::optional<std::string> script = CompletionScript(arguments.positional(), CommandSpecs());
  if (!script) {
    std::vector<std::string_view> names;
    names.reserve(kShells.size());
    for (const Shell& shell : kShells) names.push_back(shell.name);
    return RefuseValue("provisioner completion", "one of", arguments.positional(), names);
  }
  if (!json) return Outcome{0, *std::move(script), {}};
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("shell", arguments.positional()).Member("script", *script);
  return Outcome{0, out.EndObject().Text(), {}};
}

}  // namespace

CompletedValue CompletedValueOf(const OptionSpec& option) {
  CompletedValue out;
  const bool named = !option.choices.empty();
  for (const std::string_view part : named ? Split(option.choices, ' ') : Split(option.value, '|')) {
    if (IsTypedWord(part)) {
      out.words.push_back(part);
    } else if (IsFile(part)) {
      out.files = true;
    }
  }
  return out;
}

std::vector<std::string_view> ActionsOf(const CommandSpec& command) {
  std::vector<std::string_view> out = Split(command.positional.substr(0, command.positional.find(' ')), '|');
  return std::ranges::all_of(out, IsTypedWord) ? out : std::vector<std::string_view>();
}

bool TakesFiles(const CommandSpec& command) {
  return command.positional.find("SOURCE") != std::string_view::npos ||
         command.positional.find("FILE") != std::string_view::npos;
}

std::optional<std::string> CompletionScript(std::string_view shell, std::span<const CommandSpec> commands) {
  const auto* const found = std::ranges::find(kShells, shell, &Shell::name);
  if (found == kShells.end()) return std::nullopt;
  return found->script(commands);
}

Command CompletionCommand() {
  CommandSpec spec = {
      "completion",
      "Print a shell completion script for commands, options and values.",
      "bash|zsh|powershell",
      "The packages install the scripts for bash and zsh. If you copied only the program, load the output of this\n"
      "command in the start file of the shell. The script needs no other program.",
      "  $ source <(provisioner completion bash)                      # in ~/.bashrc\n"
      "  $ source <(provisioner completion zsh)                       # in ~/.zshrc, behind compinit\n"
      "  > provisioner completion powershell | Out-String | Invoke-Expression   # in $PROFILE",
      OutputOptionSpecs()};
  return {.spec = std::move(spec), .run = RunCompletion};
}

}  // namespace prov::cli
