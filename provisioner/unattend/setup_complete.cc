#include "provisioner/unattend/setup_complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"

namespace prov::unattend {
namespace {

constexpr std::string_view kLine = R"(@call "%SystemRoot%\Setup\Scripts\Provisioner\scripts\SetupComplete.cmd")";
constexpr std::string_view kNewLine = "\r\n";

// The start of our line, if it is there as a whole line.
std::optional<std::size_t> Find(std::string_view text) {
  for (std::size_t at = text.find(kLine); at != std::string_view::npos; at = text.find(kLine, at + 1)) {
    const bool starts = at == 0 || text[at - 1] == '\n';
    const std::string_view rest = text.substr(at + kLine.size());
    if (starts && (rest.empty() || rest.front() == '\r' || rest.front() == '\n')) return at;
  }
  return std::nullopt;
}

// What cmd.exe takes as blanks between words.
constexpr std::string_view kBlanks = " \t\f\v,;=";

// A script's lines as cmd.exe joins them: a line that ends in '^' goes on in the next one. With the number of the
// first.
std::vector<std::pair<std::size_t, std::string>> Lines(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string>> out;
  std::size_t number = 0;
  bool goes_on = false;
  for (std::string_view line : Split(text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!goes_on) out.emplace_back(number, std::string());
    const std::size_t carets = line.size() - std::min(line.find_last_not_of('^') + 1, line.size());
    goes_on = carets % 2 != 0;  // an even number are escaped ones
    if (goes_on) line.remove_suffix(1);
    out.back().second += line;
  }
  return out;
}

// The commands of a line: parts between `&`, `|`, `(` and `)` outside quotes, without '^', which only escapes.
std::vector<std::string> CommandsOf(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && c == '^') {
      if (++i < line.size()) out.back() += line[i];
    } else if (!quoted && std::string_view("&|()").find(c) != std::string_view::npos) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// Takes the next word from `text`, without an '@' before it, which hides a command. A part in quotes is of one word.
std::string_view TakeWord(std::string_view& text) {
  while (!text.empty() && (text.front() == '@' || kBlanks.find(text.front()) != std::string_view::npos)) {
    text.remove_prefix(1);
  }
  bool quoted = false;
  std::size_t end = 0;
  for (; end < text.size() && (quoted || kBlanks.find(text[end]) == std::string_view::npos); ++end) {
    if (text[end] == '"') quoted = !quoted;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Takes the condition of an `if`: two words, as '=' is a blank, or three with an operator of letters.
void TakeCondition(std::string_view& text) {
  constexpr std::array<std::string_view, 6> kOperators = {"equ", "neq", "lss", "leq", "gtr", "geq"};
  std::string word = AsciiLower(TakeWord(text));
  while (word == "/i" || word == "not") word = AsciiLower(TakeWord(text));
  if (std::ranges::find(kOperators, AsciiLower(TakeWord(text))) != kOperators.end()) TakeWord(text);
}

// Whether a command ends the script: `exit`, `goto :eof`, or another script without `call`, which does not return. What
// follows a condition counts, too.
bool Leaves(std::string_view command) {
  std::string_view rest = command;
  std::string word = AsciiLower(TakeWord(rest));
  while (word == "if" || word == "else" || word == "do") {
    if (word == "if") TakeCondition(rest);
    word = AsciiLower(TakeWord(rest));
  }
  std::erase(word, '"');
  const std::string name = word.substr(0, word.find_first_of(":/<>"));
  if (name == "exit") return true;
  if (name == "goto") return (word == name ? AsciiLower(TakeWord(rest)) : word.substr(name.size())).starts_with(":eof");
  return word.ends_with(".cmd") || word.ends_with(".bat");
}

// Whether some command of the line ends the script.
bool LineLeaves(std::string_view line) {
  bool is_set = false;  // of a `for`: its files are no commands
  for (const std::string& command : CommandsOf(line)) {
    std::string_view rest = command;
    const std::string word = AsciiLower(TakeWord(rest));
    if (word == "rem" || word.starts_with(':')) return false;  // a comment or a label, to the end of the line
    if (!is_set && Leaves(command)) return true;
    is_set = word == "for";
  }
  return false;
}

void WarnOfLeaving(std::string_view text, Findings& findings, std::string_view where) {
  for (const auto& [number, line] : Lines(text)) {
    if (!LineLeaves(line)) continue;
    AddWarning(findings, "setup-complete-exit",
               "leaves the script, so the line that was added at its end may not be reached; the boot service does its "
               "work all the same, if provisioner.exe was installed",
               fmt::format("{}: line {}", where, number));
    return;
  }
}

}  // namespace

Result<std::string> AddSetupCompleteLine(std::string_view existing, Findings& findings, std::string_view where) {
  if (existing.find('\0') != std::string_view::npos || existing.starts_with("\xFF\xFE") ||
      existing.starts_with("\xFE\xFF")) {
    return Fail(Code::kTarget, "is UTF-16, which the command interpreter does not read: save it as plain text",
                std::string(where));
  }
  if (const auto at = Find(existing)) {
    WarnOfLeaving(existing.substr(0, *at), findings, where);
    return std::string(existing);
  }
  WarnOfLeaving(existing, findings, where);
  std::string out(existing);
  if (!out.empty() && out.back() != '\n') out += kNewLine;
  return out.append(kLine).append(kNewLine);
}

std::string RemoveSetupCompleteLine(std::string_view existing, std::string_view added) {
  if (!added.empty() && existing.ends_with(added))
    return std::string(existing.substr(0, existing.size() - added.size()));
  const auto at = Find(existing);
  if (!at) return std::string(existing);
  std::size_t end = *at + kLine.size();
  if (existing.substr(end).starts_with(kNewLine)) {
    end += kNewLine.size();
  } else if (existing.substr(end).starts_with("\n")) {
    ++end;
  }
  return std::string(existing.substr(0, *at)).append(existing.substr(end));
}

}  // namespace prov::unattend
