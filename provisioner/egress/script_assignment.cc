#include "provisioner/egress/script_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"

namespace prov::egress {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kQuotes = "\"'";

// The text without blanks and quotes at both ends.
std::string_view Bare(std::string_view text) {
  text = TrimBlanks(text);
  while (!text.empty() && kQuotes.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && kQuotes.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return TrimBlanks(text);
}

// Removes `start`, in any case, from the front of `text`.
bool Take(std::string_view& text, std::string_view start) {
  if (!EqualsIgnoreAsciiCase(text.substr(0, start.size()), start)) return false;
  text.remove_prefix(start.size());
  return true;
}

using MaybeScript = std::optional<ScriptAssignment>;

MaybeScript Checked(ScriptAssignment found, std::string_view value) {
  if (!IsVariableName(found.name)) return std::nullopt;
  found.has_value = !Bare(value).empty() && !EqualsIgnoreAsciiCase(Bare(value), "$null");
  return found;
}

// "A=b", also with blanks and quotes.
MaybeScript ReadPair(std::string_view rest, std::string_view command, std::string_view language) {
  const std::size_t equals = rest.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  return Checked({command, language, Bare(rest.substr(0, equals))}, rest.substr(equals + 1));
}

// The options and words of setx: "/M A b".
MaybeScript ReadSetx(std::string_view rest) {
  std::array<std::string_view, 2> words;
  std::size_t count = 0;
  for (rest = TrimBlanks(rest); !rest.empty() && count < words.size(); rest = TrimBlanks(rest)) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    rest.remove_prefix(word.size());
    if (!word.starts_with('/')) words[count++] = word;
  }
  if (count != words.size()) return std::nullopt;
  return Checked({"setx", "cmd.exe", Bare(words[0])}, words[1]);
}

// "'A', 'b', 'Machine')"
MaybeScript ReadArguments(std::string_view rest) {
  const std::size_t comma = rest.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view value = rest.substr(comma + 1);
  return Checked({"SetEnvironmentVariable", "PowerShell", Bare(rest.substr(0, comma))},
                 value.substr(0, value.find_first_of(",)")));
}

}  // namespace

std::optional<ScriptAssignment> ReadScriptAssignment(std::string_view line) {
  line = TrimBlanks(line);
  if (line.starts_with("export ")) return ReadPair(line.substr(line.find(' ')), "export", "shell scripts");
  std::string_view rest = line;
  Take(rest, "@");
  if (Take(rest, "set ")) return ReadPair(rest, "set", "cmd.exe");
  if (Take(rest, "setx ") || Take(rest, "setx.exe ")) return ReadSetx(rest);
  if (Take(rest, "$env:")) return ReadPair(rest, "$env:", "PowerShell");
  for (const std::string_view start : {"[Environment]::", "[System.Environment]::"}) {
    if (Take(rest, start) && Take(rest, "SetEnvironmentVariable(")) return ReadArguments(rest);
  }
  return std::nullopt;
}

std::string DescribeScriptAssignment(const ScriptAssignment& assignment) {
  return fmt::format("`{}` is of {}, so systemd drops this variable; write {}=… alone", assignment.command,
                     assignment.language, assignment.name);
}

}  // namespace prov::egress
