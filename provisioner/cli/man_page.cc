// `man`, and the generator of the manual page.
#include "provisioner/cli/man_page.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/main.h"
#include "provisioner/cli/secret_argument.h"
#include "provisioner/cli/version.h"
#include "templates/templates.h"

namespace prov::cli {
namespace {

constexpr std::string_view kVersionMark = "@VERSION@";
constexpr std::string_view kCommandsMark = ".\\\" @COMMANDS@\n";

// An option (name, value, help), and the commands that have it.
using OptionKey = std::tuple<std::string_view, std::string_view, std::string_view>;
using OptionUses = std::map<OptionKey, std::vector<std::string_view>>;

OptionKey KeyOf(const OptionSpec& option) { return {option.name, option.value, option.help}; }

// An option that at least this many commands have is described once for all.
constexpr std::size_t kShared = 3;

// A line of text, escaped if it begins with a control character, so that it is not a request.
std::string RoffLine(std::string_view text) {
  const bool control = text.starts_with('.') || text.starts_with('\'');
  return fmt::format("{}{}\n", control ? "\\&" : "", RoffText(text));
}

// Keeps paragraphs, and keeps indented lines as lines.
std::string Paragraphs(std::string_view text) {
  std::string out;
  bool filled = true;
  for (const std::string_view line : Split(text, '\n')) {
    const bool fill = !line.starts_with(' ');
    if (fill != filled) out += fill ? ".fi\n" : ".nf\n";
    filled = fill;
    out += line.empty() ? std::string(".PP\n") : RoffLine(line);
  }
  return filled ? out : out + ".fi\n";
}

std::string Name(const OptionSpec& option) {
  const std::string value = option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", RoffText(option.value));
  return fmt::format("\\fB\\-\\-{}\\fR{}", RoffText(option.name), value);
}

// The option's name and help. Lists `uses` if several commands have it.
std::string OptionEntry(const OptionSpec& option, const std::vector<std::string_view>& uses) {
  std::string out = fmt::format(".TP\n{}\n", Name(option));
  out += RoffLine(fmt::format("{}{}", option.help, option.secret ? SecretArgumentHelp() : ""));
  if (!uses.empty()) out += fmt::format(".br\nWith: {}\n", RoffText(fmt::format("{}", fmt::join(uses, ", "))));
  return out;
}

std::string CommandText(const CommandSpec& command, const OptionUses& uses) {
  std::string out = fmt::format(".SS {}\n\\fBprovisioner {}\\fR", RoffText(command.name), RoffText(command.name));
  if (!command.positional.empty()) out += fmt::format(" \\fI{}\\fR", RoffText(command.positional));
  out += " [\\fIOPTION\\fR]...\n.PP\n" + RoffLine(command.summary);
  if (!command.details.empty()) out += ".PP\n" + Paragraphs(command.details);
  std::vector<std::string> shared;
  for (const OptionSpec& option : command.options) {
    if (uses.at(KeyOf(option)).size() < kShared) {
      out += OptionEntry(option, {});
    } else {
      shared.push_back(fmt::format("\\fB\\-\\-{}\\fR", RoffText(option.name)));
    }
  }
  if (!shared.empty()) {
    out += fmt::format(".PP\nIt also takes, as described under OPTIONS OF SEVERAL COMMANDS:\n{}.\n",
                       fmt::join(shared, ",\n"));
  }
  return out + fmt::format(".PP\nExample:\n{}", Paragraphs(command.example));
}

std::string CommandsText(std::span<const CommandSpec> commands) {
  OptionUses uses;
  for (const CommandSpec& command : commands) {
    for (const OptionSpec& option : command.options) uses[KeyOf(option)].push_back(command.name);
  }
  std::string out = ".SH COMMANDS\n";
  std::map<OptionKey, std::string> entries;  // sorted by name
  for (const CommandSpec& command : commands) {
    out += CommandText(command, uses);
    for (const OptionSpec& option : command.options) {
      const std::vector<std::string_view>& users = uses.at(KeyOf(option));
      if (users.size() < kShared) continue;
      entries[KeyOf(option)] =
          OptionEntry(option, users.size() < commands.size() ? users : std::vector<std::string_view>{"every command"});
    }
  }
  out += ".SH OPTIONS OF SEVERAL COMMANDS\n";
  for (const auto& [key, entry] : entries) out += entry;
  return out;
}

// Replaces `mark` in `text`, if present.
std::string Replaced(std::string text, std::string_view mark, std::string_view by) {
  const std::size_t at = text.find(mark);
  if (at != std::string::npos) text.replace(at, mark.size(), by);
  return text;
}

Result<Outcome> RunMan(const Arguments& arguments, machine::Host& /*host*/) {
  const bool json = PROV_TRY(WantsJson(arguments));
  std::string page = ManPage(templates::Provisioner1In(), CommandSpecs(), VersionNumber());
  if (!json) return Outcome{0, std::move(page), {}};
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("page", page);
  return Outcome{0, out.EndObject().Text(), {}};
}

}  // namespace

std::string RoffText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string ManPage(std::string_view prose, std::span<const CommandSpec> commands, std::string_view version) {
  std::string page(prose);
  std::erase(page, '\r');            // embedded text has CRLF line ends
  page.erase(0, page.find(".TH "));  // comments for authors
  page = Replaced(std::move(page), kVersionMark, version);
  return Replaced(std::move(page), kCommandsMark, CommandsText(commands));
}

Command ManCommand() {
  CommandSpec spec = {
      "man",
      "Print the manual page.",
      "",
      "The packages install it: man provisioner shows it. Where only the program was copied, this does.",
      "  $ provisioner man | man -l -\n"
      "  $ provisioner man > /usr/local/share/man/man1/provisioner.1",
      OutputOptionSpecs()};
  return {.spec = std::move(spec), .run = RunMan};
}

}  // namespace prov::cli
