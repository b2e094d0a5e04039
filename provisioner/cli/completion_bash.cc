// The script for bash: one function that examines the words of the line.
#include <fmt/format.h>

#include <map>

#include "provisioner/cli/completion.h"

namespace prov::cli {
namespace {

constexpr std::string_view kBashHead = R"(# bash completion of provisioner; printed by: provisioner completion bash
_provisioner() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local at command='' actions='' repeated='' options='' sources='' words='' files='' any=''
  COMPREPLY=()
  # bash hands over --format=json as three words.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

constexpr std::string_view kBashTail = R"(  if [[ -n $any ]]; then
    return
  fi
  if [[ -z $words$files ]]; then
    case $current in
      -*) words=$options ;;
      *)
        if [[ -n $actions && $at -eq $((COMP_CWORD - 1)) ]]; then
          words=$actions
        elif [[ -n $repeated ]]; then
          words=$repeated
        elif [[ -n $sources ]]; then
          files=yes
        elif [[ -z $actions ]]; then
          words=$options
        fi
        ;;
    esac
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _provisioner provisioner
)";

// The value of an option, as assignments of the function.
std::string Assignments(const OptionSpec& option) {
  const CompletedValue value = CompletedValueOf(option);
  if (value.words.empty() && !value.files) return "any=yes";
  std::string out;
  if (!value.words.empty()) out = fmt::format("words='{}'", fmt::join(value.words, " "));
  if (value.files) out += fmt::format("{}files=yes", out.empty() ? "" : " ");
  return out;
}

std::string BashCase(const CommandSpec& command) {
  std::vector<std::string> options;
  options.reserve(command.options.size());
  std::map<std::string, std::vector<std::string>> behind;  // options by the assignments for their values
  for (const OptionSpec& option : command.options) {
    options.push_back(fmt::format("--{}", option.name));
    if (!option.value.empty()) behind[Assignments(option)].push_back(options.back());
  }
  std::string out = fmt::format("    {})\n      actions='{}' repeated='{}' sources='{}'\n      options='{}'\n",
                                command.name, fmt::join(ActionsOf(command), " "), fmt::join(command.words, " "),
                                TakesFiles(command) ? "yes" : "", fmt::join(options, " "));
  out += "      case $previous in\n";
  for (const auto& [what, names] : behind) out += fmt::format("        {}) {} ;;\n", fmt::join(names, " | "), what);
  return out + "      esac\n      ;;\n";
}

}  // namespace

std::string BashCompletion(std::span<const CommandSpec> commands) {
  std::vector<std::string_view> names;
  names.reserve(commands.size());
  std::string cases;
  for (const CommandSpec& command : commands) {
    names.push_back(command.name);
    cases += BashCase(command);
  }
  std::string out(kBashHead);
  out += fmt::format(
      "  for ((at = 1; at < COMP_CWORD; ++at)); do\n"
      "    case ${{COMP_WORDS[at]}} in\n"
      "      {})\n        command=${{COMP_WORDS[at]}}\n        break\n        ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command in\n"
      "    '')\n"
      "      words='{} --help --version --output'\n"
      "      [[ $previous != --output ]] || words='text json'\n"
      "      ;;\n{}  esac\n",
      fmt::join(names, " | "), fmt::join(names, " "), cases);
  out += kBashTail;
  return out;
}

}  // namespace prov::cli
