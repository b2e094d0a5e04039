// The script for fish: one `complete` for each command, option and action.
#include <fmt/format.h>

#include "provisioner/cli/completion.h"

namespace prov::cli {
namespace {

constexpr std::string_view kFishHead = R"(# fish completion of provisioner; printed by: provisioner completion fish
# The words from the command on: --output may stand before it.
function __provisioner_words
    set -l words (commandline -opc)
    set -e words[1]
    while set -q words[1]; and string match -q -- '-*' $words[1]
        if test "$words[1]" = --output; and set -q words[2]
            set -e words[2]
        end
        set -e words[1]
    end
    for word in $words
        printf '%s\n' $word
    end
end
# Whether the command is the one that is named.
function __provisioner_is
    set -l words (__provisioner_words)
    test (count $words) -ge 1; and test $words[1] = $argv[1]
end
# The same, with nothing behind it yet.
function __provisioner_begins
    set -l words (__provisioner_words)
    test (count $words) -eq 1; and test $words[1] = $argv[1]
end
function __provisioner_has_no_command
    test (count (__provisioner_words)) -eq 0
end
complete -c provisioner -f
complete -c provisioner -n __provisioner_has_no_command -l help -d 'list the commands'
complete -c provisioner -n __provisioner_has_no_command -l version -d 'print the version, commit and libraries'
complete -c provisioner -n __provisioner_has_no_command -l output -x -a 'text json' -d 'how results and errors are printed'
)";

std::string QuotedForFish(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string Option(std::string_view command, const OptionSpec& option) {
  std::string out = fmt::format("complete -c provisioner -n '__provisioner_is {}' -l {}", command, option.name);
  if (!option.value.empty()) {
    const CompletedValue value = CompletedValueOf(option);
    out += value.files ? " -r -F" : " -x";
    if (!value.words.empty()) out += fmt::format(" -a '{}'", fmt::join(value.words, " "));
  }
  return out + fmt::format(" -d {}\n", QuotedForFish(option.help));
}

}  // namespace

std::string FishCompletion(std::span<const CommandSpec> commands) {
  std::string out(kFishHead);
  for (const CommandSpec& command : commands) {
    out += fmt::format("complete -c provisioner -n __provisioner_has_no_command -a {} -d {}\n", command.name,
                       QuotedForFish(command.summary));
  }
  for (const CommandSpec& command : commands) {
    const std::vector<std::string_view> actions = ActionsOf(command);
    if (!actions.empty()) {
      out += fmt::format("complete -c provisioner -n '__provisioner_begins {}' -a '{}'\n", command.name,
                         fmt::join(actions, " "));
    }
    if (!command.words.empty()) {
      out += fmt::format("complete -c provisioner -n '__provisioner_is {}' -a '{}'\n", command.name,
                         fmt::join(command.words, " "));
    }
    if (TakesFiles(command)) {
      const std::string later =
          actions.empty() ? std::string() : fmt::format("; and not __provisioner_begins {}", command.name);
      out += fmt::format("complete -c provisioner -n '__provisioner_is {}{}' -F\n", command.name, later);
    }
    for (const OptionSpec& option : command.options) out += Option(command.name, option);
  }
  return out;
}

}  // namespace prov::cli
