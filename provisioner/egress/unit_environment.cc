// ParseUnitEnvironment, ReadUnitNames: the environment in a systemd unit.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"
#include "provisioner/egress/environment_file.h"

namespace prov::egress {
namespace {

// The C escapes of a unit file for a single byte.
std::optional<char> SimpleEscape(char c) {
  constexpr std::string_view kFrom = "abfnrtv\\\"'s";
  constexpr std::string_view kTo = "\a\b\f\n\r\t\v\\\"' ";
  const std::size_t at = kFrom.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return kTo[at];
}

// Takes an escape (without its backslash) from the front of `text`; nullopt if it is unknown or gives NUL.
std::optional<char> ReadEscape(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  if (const auto simple = SimpleEscape(text[0])) {
    text.remove_prefix(1);
    return simple;
  }
  const bool hex = text[0] == 'x';
  const std::size_t length = 3;  // xHH or NNN
  if (text.size() < length) return std::nullopt;
  unsigned value = 0;
  if (hex) {
    const auto byte = FromHex(text.substr(1, 2));
    if (!byte) return std::nullopt;
    value = static_cast<unsigned char>(byte->front());
  } else {
    for (const char c : text.substr(0, length)) {
      if (c < '0' || c > '7') return std::nullopt;
      value = value * 8 + static_cast<unsigned>(c - '0');
    }
  }
  if (value == 0 || value > 0xFF) return std::nullopt;
  text.remove_prefix(length);
  return static_cast<char>(static_cast<unsigned char>(value));
}

// Removes the next word from `text` and returns it unquoted; nullopt for an open quote or a bad escape. `text` must not
// be empty or begin with a blank.
std::optional<std::string> ReadWord(std::string_view& text) {
  std::string word;
  char quote = '\0';
  while (!text.empty() && (quote != 0 || !IsEnvironmentBlank(text[0]))) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '\\') {
      const auto escaped = ReadEscape(text);
      if (!escaped) return std::nullopt;
      word.push_back(*escaped);
    } else if (quote != 0 ? c == quote : (c == '"' || c == '\'')) {
      quote = quote != 0 ? '\0' : c;
    } else {
      word.push_back(c);
    }
  }
  if (quote != 0) return std::nullopt;
  return word;
}

void ReadUnitWords(std::string_view text, std::string_view where, std::size_t line, Assignments& out,
                   CappedFindings& findings) {
  for (text = TrimBlanks(text); !text.empty(); text = TrimBlanks(text)) {
    const auto word = ReadWord(text);
    if (!word) {
      findings.Warn(
          "env-quote",
          "this Environment= line has an open quote or an unknown backslash escape, so systemd ignores it from "
          "there; correct it",
          AtLine(where, line));
      return;
    }
    const std::size_t equals = word->find('=');
    if (equals == std::string::npos) {
      findings.Warn(
          "env-line",
          "a word of this Environment= line has no '=', so systemd drops it; quote the whole assignment if its "
          "value has blanks",
          AtLine(where, line));
    } else if (word->find('\0') != std::string::npos) {
      findings.Warn(
          "env-nul",
          "this Environment= line holds a NUL byte, so the variable is left out; write the file again as text",
          AtLine(where, line));
    } else if (!IsSystemdText(*word)) {
      findings.Warn("env-utf8", "this Environment= line holds bytes that are not UTF-8, so systemd drops it; use UTF-8",
                    AtLine(where, line));
    } else if (!IsVariableName(std::string_view(*word).substr(0, equals))) {
      ReportVariableName(std::string_view(*word).substr(0, equals), where, line, findings);
    } else {
      out.Set(word->substr(0, equals), word->substr(equals + 1), line);
    }
  }
}

// Whether a line ends in a backslash that is not itself escaped.
bool Continues(std::string_view line) {
  std::size_t backslashes = 0;
  while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

// The logical lines of a unit file: joins continued lines, and drops comments, which may stand between their parts.
class UnitLines {
 public:
  explicit UnitLines(std::string_view text) : text_(text) {}

  // The next line, trimmed; nullopt at the end of the text. A continuation without a next line ends there.
  std::optional<std::string> Next() {
    std::string logical;
    bool continued = false;
    while (!text_.empty()) {
      const std::string_view physical = ReadPhysicalLine();
      const std::string_view trimmed = TrimBlanks(physical);
      if (trimmed.starts_with('#') || trimmed.starts_with(';')) continue;
      if (!continued) begin_ = line_;
      logical += physical;
      continued = Continues(physical);
      if (!continued) return std::string(TrimBlanks(logical));
      logical.back() = ' ';
    }
    if (!continued) return std::nullopt;
    return std::string(TrimBlanks(logical));
  }

  std::size_t number() const { return begin_; }  // 1-based line on which the last returned line began

 private:
  std::string_view ReadPhysicalLine() {
    const std::size_t end = text_.find('\n');
    std::string_view physical = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    ++line_;
    if (physical.ends_with('\r')) physical.remove_suffix(1);
    return physical;
  }

  std::string_view text_;
  std::size_t line_ = 0;
  std::size_t begin_ = 0;
};

// Visits the lines "KEY=VALUE": with their section, "" before the first, and the number of the line.
template <typename Visit>
void VisitSettings(std::string_view unit_text, Visit visit) {
  if (unit_text.starts_with(kByteOrderMark)) unit_text.remove_prefix(kByteOrderMark.size());
  std::string section;
  UnitLines lines(unit_text);
  while (const std::optional<std::string> line = lines.Next()) {
    const std::string_view text = *line;
    if (text.starts_with('[')) {
      section = text;
      continue;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    visit(section, TrimBlanks(text.substr(0, equals)), TrimBlanks(text.substr(equals + 1)), lines.number());
  }
}

constexpr std::string_view kEnvironmentKey = "Environment";
constexpr std::string_view kServiceSection = "[Service]";

// Adds the names of a line's words, which may be followed by "=VALUE". A line without words drops what came before.
void AddNames(std::string_view text, const std::string& line, std::size_t number, std::vector<UnitNames::Name>& out) {
  if (text.empty()) out.clear();
  for (; !text.empty(); text = TrimBlanks(text)) {
    const auto word = ReadWord(text);
    if (!word) return;
    std::string name = word->substr(0, word->find('='));
    if (IsVariableName(name)) out.push_back({std::move(name), line, number});
  }
}

}  // namespace

std::vector<Assignment> ParseUnitEnvironment(std::string_view unit_text, std::string_view where, Findings& findings) {
  CappedFindings capped(findings, where);
  Assignments out(where, capped);
  VisitSettings(unit_text,
                [&](std::string_view section, std::string_view key, std::string_view value, std::size_t number) {
                  if (section != kServiceSection || key != kEnvironmentKey) return;
                  if (value.empty()) {
                    out.Clear();
                  } else {
                    ReadUnitWords(value, where, number, out, capped);
                  }
                });
  return std::move(out).Release();
}

UnitNames ReadUnitNames(std::string_view unit_text) {
  UnitNames out;
  VisitSettings(unit_text,
                [&](std::string_view section, std::string_view key, std::string_view value, std::size_t number) {
                  if (section != kServiceSection) {
                    if (key == kEnvironmentKey)
                      AddNames(value, fmt::format("Environment= in {}", Shorten(section)), number, out.elsewhere);
                  } else if (key == "UnsetEnvironment") {
                    AddNames(value, "UnsetEnvironment=", number, out.unset);
                  } else if (key == "PassEnvironment") {
                    AddNames(value, "PassEnvironment=", number, out.passed);
                  }
                });
  return out;
}

}  // namespace prov::egress
