// `explain-code`: prints the meaning of an error's or finding's code, or of a symptom, and the remedy.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "provisioner/base/finding_table.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/symptom_table.h"

namespace prov::cli {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::string_view kWhere = "provisioner explain-code";

// A row of the table of errors, of findings or of symptoms. Some names are in the first two.
struct CodeEntry {
  std::string_view name;
  std::optional<int> exit;                   // of an error; nullopt for a finding
  std::vector<std::string_view> severities;  // of a finding; empty for others
  std::string_view meaning;
  std::string_view remedy;
  std::string_view page = {};  // of a symptom; empty for others

  std::string_view Kind() const { return exit ? "error" : page.empty() ? "finding" : "symptom"; }
};

// Errors, then findings.
std::vector<CodeEntry> AllEntries() {
  std::vector<CodeEntry> out;
  for (const CodeInfo& info : AllCodes()) out.push_back({info.name, info.exit, {}, info.meaning, info.remedy});
  for (const FindingInfo& info : AllFindings()) {
    CodeEntry entry{info.name, std::nullopt, {}, info.meaning, info.remedy};
    for (const Severity severity : {Severity::kInfo, Severity::kWarning, Severity::kError}) {
      if (info.CanBe(severity)) entry.severities.push_back(NameOf(severity));
    }
    out.push_back(std::move(entry));
  }
  return out;
}

// The exit code of an error, or the severities of a finding.
std::string DescribeKind(const CodeEntry& entry) {
  return entry.exit ? std::to_string(*entry.exit) : fmt::format("{}", fmt::join(entry.severities, ", "));
}

// Each name once.
std::vector<std::string_view> NamesOf(const std::vector<CodeEntry>& entries) {
  std::vector<std::string_view> out;
  out.reserve(entries.size());
  for (const CodeEntry& entry : entries) {
    if (std::ranges::find(out, entry.name) == out.end()) out.push_back(entry.name);
  }
  return out;
}

// The remedy for an unknown name.
std::string WhatToDo(std::string_view name, const std::vector<CodeEntry>& all) {
  const std::string closest = DidYouMean(name, NamesOf(all));
  return closest.empty() ? fmt::format("{} lists all", kWhere) : closest;
}

// Also accepts a code in brackets, as messages show it.
std::string_view WithoutBrackets(std::string_view word) {
  const bool brackets = word.size() > 2 && word.starts_with('[') && word.ends_with(']');
  return brackets ? word.substr(1, word.size() - 2) : word;
}

// Whether `text` has `phrase` between other characters than letters, digits and hyphens.
bool HasWords(std::string_view text, std::string_view phrase) {
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (IsDigit(text[at]) || (text[at] >= 'a' && text[at] <= 'z') || text[at] == '-');
  };
  for (std::size_t at = text.find(phrase); at != std::string_view::npos; at = text.find(phrase, at + 1)) {
    if (!continues(at + phrase.size()) && (at == 0 || !continues(at - 1))) return true;
  }
  return false;
}

// The entries that one word or message asks for: of a code, of an exit code, or of symptoms with the codes behind them.
std::vector<CodeEntry> Find(std::string_view asked, const std::vector<CodeEntry>& all) {
  std::vector<CodeEntry> out;
  const auto add = [&](std::string_view name) {
    std::ranges::copy_if(all, std::back_inserter(out), [&](const CodeEntry& entry) {
      return entry.name == name || (entry.exit && std::to_string(*entry.exit) == name);
    });
  };
  const std::string text = AsciiLower(asked);
  add(text);
  if (!out.empty()) return out;
  for (const Symptom& symptom : kSymptoms) {
    const auto words = Split(symptom.words, '|');
    const auto fits = [&](std::string_view word) { return symptom.is_reason ? text == word : HasWords(text, word); };
    if (std::ranges::none_of(words, fits)) continue;
    out.push_back({words.front(), std::nullopt, {}, symptom.meaning, symptom.remedy, symptom.page});
    for (const std::string_view code : Split(symptom.codes, ' ')) add(code);
  }
  return out;
}

struct Selected {
  std::vector<CodeEntry> entries;
  std::vector<std::string_view> unknown;  // words that nothing is known of
};

// Adds those that are not there yet.
void AddNew(std::vector<CodeEntry> found, std::vector<CodeEntry>& out) {
  for (CodeEntry& one : found) {
    const auto same = [&](const CodeEntry& there) { return there.name == one.name && there.Kind() == one.Kind(); };
    if (std::ranges::none_of(out, same)) out.push_back(std::move(one));
  }
}

// Whether the word is a part of what the symptom is found by.
bool IsOfSymptom(std::string_view word, const CodeEntry& entry) {
  const std::size_t end = word.find_last_not_of(".,:;");
  const std::string text = AsciiLower(word.substr(0, end + 1));
  return std::ranges::any_of(kSymptoms, [&](const Symptom& symptom) {
    return !entry.page.empty() && symptom.meaning == entry.meaning && HasWords(symptom.words, text);
  });
}

// The entries for `words`, in their order; all entries if there are none. Words that are unknown each for itself may
// be a message without quotes. Errors: usage, if nothing is known.
Result<Selected> Select(const std::vector<std::string>& words) {
  Selected out;
  const std::vector<CodeEntry> all = AllEntries();
  if (words.empty()) return Selected{all, {}};
  for (const std::string& word : words) {
    std::vector<CodeEntry> found = Find(WithoutBrackets(word), all);
    if (found.empty()) out.unknown.push_back(WithoutBrackets(word));
    AddNew(std::move(found), out.entries);
  }
  if (out.unknown.empty()) return out;
  AddNew(Find(fmt::format("{}", fmt::join(words, " ")), all), out.entries);
  if (out.entries.empty()) {
    const std::string_view name = out.unknown.front();
    return Fail(Code::kUsage, fmt::format("there is no code \"{}\"; {}", name, WhatToDo(name, all)),
                std::string(kWhere));
  }
  std::erase_if(out.unknown, [&](std::string_view word) {
    return std::ranges::any_of(out.entries, [&](const CodeEntry& entry) { return IsOfSymptom(word, entry); });
  });
  return out;
}

std::string CodesJson(const std::vector<CodeEntry>& entries, const std::vector<std::string_view>& unknown) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("codes").BeginArray();
  for (const CodeEntry& entry : entries) {
    json.BeginObject().Member("code", entry.name).Member("kind", entry.Kind());
    if (entry.exit) json.Member("exit", *entry.exit);
    if (!entry.severities.empty()) json.Strings("severities", entry.severities);
    if (!entry.page.empty()) json.Member("page", entry.page);
    json.Member("meaning", entry.meaning).Member("remedy", entry.remedy).EndObject();
  }
  json.EndArray();
  if (!unknown.empty()) json.Strings("unknown", unknown);
  return json.EndObject().Text();
}

// All details of a few codes.
std::string CodesText(const Selected& selected) {
  std::string out;
  for (const CodeEntry& entry : selected.entries) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}: {}", entry.name, entry.Kind());
    if (entry.exit) out += fmt::format(", exit code {}", *entry.exit);
    if (!entry.severities.empty()) out += fmt::format(" ({})", fmt::join(entry.severities, ", "));
    out += fmt::format("\n  {}\n", Wrap(entry.meaning, 2, kWidth));
    out += fmt::format("  {}\n", Wrap(fmt::format("What to do: {}", entry.remedy), 2, kWidth));
    if (!entry.page.empty()) out += fmt::format("  Page: {}\n", entry.page);
  }
  if (selected.unknown.empty()) return out;
  return out + fmt::format("\nNot known here: {}; {}\n", Printable(fmt::format("{}", fmt::join(selected.unknown, " "))),
                           WhatToDo(selected.unknown.front(), AllEntries()));
}

// One or two lines for each code.
std::string CodesList(const std::vector<CodeEntry>& entries) {
  std::size_t width = 0;
  for (const CodeEntry& entry : entries) width = std::max(width, entry.name.size());
  std::string out = "Errors, with the exit code:\n";
  bool findings = false;
  for (const CodeEntry& entry : entries) {
    if (!entry.exit && !findings) {
      out += "\nFindings, with the severities that they can have:\n";
      findings = true;
    }
    out += fmt::format("  {:<{}}  {}\n", entry.name, width,
                       Wrap(fmt::format("({}) {}", DescribeKind(entry), entry.meaning), width + 4, kWidth));
  }
  return out + fmt::format("\n{} CODE says what to do. It takes words of other programs' messages, too, such as 407.\n",
                           kWhere);
}

// Escapes text for a cell of a Markdown table.
std::string MarkdownCell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '*' || c == '|' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

// The page codes.md in the packages.
std::string Markdown(const std::vector<CodeEntry>& entries) {
  std::string errors;
  std::string findings;
  for (const CodeEntry& entry : entries) {
    (entry.exit ? errors : findings) += fmt::format("| `{}` | {} | {} | {} |\n", entry.name, DescribeKind(entry),
                                                    MarkdownCell(entry.meaning), MarkdownCell(entry.remedy));
  }
  return fmt::format(
      "# Codes of errors and findings\n\n"
      "An error ends a command: it is `error.code` in JSON and decides the exit code. A finding is a remark about a "
      "result: it is `code` in\nthe list `findings`. On a terminal the code stands in brackets before the message, "
      "which gives the details and the place. `provisioner explain-code CODE` prints\nthe row of a code. Later "
      "versions may add codes, but never rename one.\n\n"
      "`provisioner explain-code --markdown` prints this page.\n\n"
      "## Errors\n\n| code | exit code | meaning | what to do |\n|---|---|---|---|\n{}\n"
      "## Findings\n\n| code | severity | meaning | what to do |\n|---|---|---|---|\n{}",
      errors, findings);
}

Result<Outcome> RunExplainCode(const Arguments& arguments, machine::Host& /*host*/) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const bool markdown = arguments.Has("markdown");
  if (markdown && (json || !arguments.words().empty())) {
    return Fail(Code::kUsage, "prints all codes; leave out CODE and --output", "--markdown");
  }
  const Selected selected = PROV_TRY(Select(arguments.words()));
  if (markdown) return Outcome{0, Markdown(selected.entries), {}};
  if (json) return Outcome{0, CodesJson(selected.entries, selected.unknown), {}};
  return Outcome{0, arguments.words().empty() ? CodesList(selected.entries) : CodesText(selected), {}};
}

}  // namespace

Command ExplainCodeCommand() {
  CommandSpec spec = {
      "explain-code",
      "Explain the code of an error or a finding, and what to do about it.",
      "[CODE]...",
      "CODE is the word in brackets of a message, or `code` in JSON; or an exit code; or what another program says, "
      "such as 407, x509, EOF or ErrImagePull. Without one all codes are listed.",
      "  $ provisioner explain-code proxy-url-at\n"
      "  proxy-url-at: finding (warning)\n"
      "    The user or the password in the URL of a proxy holds a plain @, so clients differ on where the\n"
      "    host begins.\n"
      "    What to do: Write the character as %40.",
      JoinOptions({{{"markdown", "", "print all codes as the page of the documentation", Group::kOutput}},
                   OutputOptionSpecs()})};
  spec.words = NamesOf(AllEntries());
  return {.spec = std::move(spec), .run = RunExplainCode};
}

}  // namespace prov::cli
