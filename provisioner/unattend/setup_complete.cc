#include "provisioner/unattend/setup_complete.h"

#include <fmt/format.h>

#include <optional>

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

// Whether the whole line is "exit /b", "@exit" or "goto :eof", which always runs.
bool Leaves(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '@')) line.remove_prefix(1);
  const std::string word = AsciiLower(line.substr(0, line.find_first_of(" \t\r")));
  const bool to_end = AsciiLower(line).find(":eof") != std::string::npos;
  return word == "exit" || (word == "goto" && to_end);
}

void WarnOfLeaving(std::string_view text, Findings& findings, std::string_view where) {
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (!Leaves(line)) continue;
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
