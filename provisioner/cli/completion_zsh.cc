// The script for zsh: specifications for _arguments, one list for each command.
#include <fmt/format.h>

#include "provisioner/cli/completion.h"

namespace prov::cli {
namespace {

// Text for single quotes, with a backslash before each of `special`.
std::string EscapedForZsh(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// One specification. An option that is already there is offered again, because most options may be repeated.
std::string Specification(const OptionSpec& option) {
  const std::string help = EscapedForZsh(option.help, "\\[]:");
  if (option.value.empty()) return fmt::format("'--{}[{}]'", option.name, help);
  const CompletedValue value = CompletedValueOf(option);
  std::string action = " ";
  if (!value.words.empty() && value.files) {
    action = fmt::format("{{compadd {}; _files}}", fmt::join(value.words, " "));
  } else if (!value.words.empty()) {
    action = fmt::format("({})", fmt::join(value.words, " "));
  } else if (value.files) {
    action = "_files";
  }
  return fmt::format("'*--{}=[{}]:{}:{}'", option.name, help, EscapedForZsh(option.value, "\\:"), action);
}

std::string ZshCase(const CommandSpec& command) {
  std::string out = fmt::format("    {})\n      _arguments -S \\\n", command.name);
  for (const OptionSpec& option : command.options) out += fmt::format("        {} \\\n", Specification(option));
  const std::vector<std::string_view> actions = ActionsOf(command);
  std::string rest = TakesFiles(command) ? "'*: :_files'" : "'*: : '";
  if (!command.words.empty()) rest = fmt::format("'*: :({})'", fmt::join(command.words, " "));
  if (!actions.empty()) out += fmt::format("        '1: :({})' \\\n", fmt::join(actions, " "));
  return out + fmt::format("        {}\n      ;;\n", rest);
}

}  // namespace

std::string ZshCompletion(std::span<const CommandSpec> commands) {
  std::string names;
  std::string cases;
  for (const CommandSpec& command : commands) {
    names += fmt::format("    '{}:{}'\n", command.name, EscapedForZsh(command.summary, "\\:"));
    cases += ZshCase(command);
  }
  return fmt::format(
      "#compdef provisioner\n"
      "# zsh completion of provisioner; printed by: provisioner completion zsh\n"
      "_provisioner_commands() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  _describe command commands\n"
      "}}\n"
      "_provisioner() {{\n"
      "  local curcontext=$curcontext state line\n"
      "  _arguments -C '--help[list the commands]' '--version[print the version, commit and libraries]' \\\n"
      "    '--output=[how results and errors are printed]:text|json:(text json)' \\\n"
      "    '1: :_provisioner_commands' '*:: :->arguments' && return\n"
      "  [[ $state == arguments ]] || return\n"
      "  case $words[1] in\n{}  esac\n"
      "}}\n"
      "# As a file of fpath it is run; loaded by source it registers itself.\n"
      "if [[ $funcstack[1] == _provisioner ]]; then\n"
      "  _provisioner \"$@\"\n"
      "else\n"
      "  compdef _provisioner provisioner\n"
      "fi\n",
      names, cases);
}

}  // namespace prov::cli
