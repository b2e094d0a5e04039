#include "provisioner/cli/main.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/suggestion.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/secret_argument.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/cli/version.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/machine/live_ports.h"
#include "provisioner/net/http.h"

namespace prov::cli {
namespace {

[[noreturn]] void EndAsDefect() {
  std::fputs("provisioner: error [internal]: the program met a defect in itself and stopped\n", stderr);
  std::_Exit(InfoOf(Code::kInternal).exit);
}

void OnAbort(int /*signal*/) { EndAsDefect(); }

using Maker = Command (*)();
constexpr Maker kCommands[] = {
    ExtractCommand,    CheckCommand,   ExplainCommand, BakeCommand,       PlanCommand,     ApplyCommand,
    StatusCommand,     DoctorCommand,  ConfirmCommand, RollbackCommand,   RemoveCommand,   FirstBootCommand,
    ReconcileCommand,  ServiceCommand, PublishCommand, PodEnvCommand,     HnsProxyCommand, RouterCommand,
    EgressIpCommand,   FleetCommand,   PodCommand,     ControllerCommand, DeployCommand,   ExplainCodeCommand,
    CompletionCommand, ManCommand,
};

std::string GeneralHelp() {
  std::string out =
      "usage: provisioner COMMAND [ARGUMENT]...\n\n"
      "Turns a cluster's egress settings (proxy, NO_PROXY, additional trusted CAs) into the state of\n"
      "Windows nodes before they first boot, when they do, and from then on.\n\nCommands:\n";
  for (const Maker make : kCommands) {
    const Command command = make();
    out += fmt::format("  {:<12} {}\n", command.spec.name, command.spec.summary);
  }
  return out +
         "\n  provisioner COMMAND --help   options of a command, with an example (-h, too)\n"
         "  provisioner --version        the program's version, commit, compiler and libraries\n\n"
         "Exit codes: 0 done, 4 differences found, 10 usage, 11 bad input, 12 refused by a safety rule,\n"
         "13 machine, image or output missing or unwritable, 14 network, 15 busy, 20 a defect in this program.\n";
}

std::string GeneralHelpDocument() {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("usage", "provisioner COMMAND [ARGUMENT]...").Key("commands");
  json.BeginArray();
  for (const Maker make : kCommands) {
    const Command command = make();
    json.BeginObject().Member("name", command.spec.name).Member("summary", command.spec.summary).EndObject();
  }
  return json.EndArray().EndObject().Text();
}

// Callers act on standard output, so an incomplete write must not look like success.
int Print(std::string_view text, int exit) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return exit;
  PrintError(stderr, {Code::kIo, "cannot write the result", "standard output"});
  return InfoOf(Code::kIo).exit;
}

// Who reads an error, and in which form.
struct Audience {
  bool json = false;       // standard output gets a document
  bool asked_for = false;  // because of --output json, not of the command's nature
};

// Programs read the document, and logs get the line. A person at a terminal would see the same twice, so they get only
// the line, or only the document if they asked for it.
int ReportError(const Error& error, const Audience& to) {
  const bool person_sees_both = to.json && IsTerminal(stdout) && IsTerminal(stderr);
  if (!person_sees_both || !to.asked_for) PrintError(stderr, error);
  const int exit = InfoOf(error.code).exit;
  const bool document = to.json && (!person_sees_both || to.asked_for);
  return document ? Print(ErrorDocument(error), exit) : exit;
}

// Redacts URLs in an error: messages quote the command line, where a URL may stand in any place, and messages end up in
// logs.
Error WithoutPasswords(Error error, std::span<const std::string> words) {
  // "quay.io/org/app@sha256:...", which has no password before its '@'.
  const auto names_digest = [](std::string_view value) {
    const std::size_t at = value.find('@');
    if (at == std::string_view::npos || value.find('@', at + 1) != std::string_view::npos) return false;
    const std::string_view digest = value.substr(at + 1);
    const bool is_digest =
        digest.starts_with("sha256:") || digest.starts_with("sha384:") || digest.starts_with("sha512:");
    return is_digest && value.substr(0, at).find('/') != std::string_view::npos;
  };
  const auto hide = [&](std::string_view value) {
    const bool is_path = (value.starts_with('/') && !value.starts_with("//")) || value.starts_with("./") ||
                         value.starts_with("../");  // a path may contain an '@'
    if (is_path && value.find("://") == std::string_view::npos) return;
    const bool has_scheme = value.find("://") != std::string_view::npos;
    if (!has_scheme && (value.find('@') == std::string_view::npos || names_digest(value))) return;
    const std::string shown = egress::RedactUrl(value);
    for (std::string* text : {&error.message, &error.where, &error.file}) {
      for (std::size_t at = text->find(value); at != std::string::npos; at = text->find(value, at + shown.size()))
        text->replace(at, value.size(), shown);
    }
  };
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');  // --option=VALUE
    hide(word);
    if (word.starts_with('-') && equals != std::string_view::npos) hide(word.substr(equals + 1));
  }
  return error;
}

// Whether errors are to be printed as JSON. Decided before the options are validated; as in valid options, the last
// --output counts.
bool AsksForJson(std::span<const std::string> words) {
  bool json = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--output=")) json = words[i] == "--output=json";
    if (words[i] == "--output" && i + 1 < words.size()) json = words[i + 1] == "json";
  }
  return json;
}

bool AsksForTextFormat(std::span<const std::string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view value = words[i] == "--format" && i + 1 < words.size() ? std::string_view(words[i + 1])
                                   : words[i].starts_with("--format=")            ? std::string_view(words[i]).substr(9)
                                                                                  : std::string_view();
    if (value == "env" || value == "pem" || value == "patch" || value == "admission-policy") return true;
  }
  return false;
}

int RunCommand(const Command& command, std::span<const std::string> words) {
  const bool asked_for = AsksForJson(words);
  const bool always_json =
      command.always_json || (!command.data_word.empty() && std::ranges::find(words, command.data_word) != words.end());
  const Audience to{asked_for || (always_json && !AsksForTextFormat(words)), asked_for};
  const auto report = [&](Error error) {
    if (error.where.empty()) error.where = fmt::format("provisioner {}", command.spec.name);
    return ReportError(WithoutPasswords(std::move(error), words), to);
  };
  Result<Arguments> arguments = ParseArguments(command.spec, words);
  if (!arguments) return report(std::move(arguments).error());
  if (arguments->Has("help")) {
    const bool all = std::ranges::find(arguments->words(), "all") != arguments->words().end();
    return Print(asked_for ? HelpDocument(command.spec) : HelpText(command.spec, all), 0);
  }
  const auto secrets = ReadSecretArguments(command.spec, PlacesOfThisProcess(), *arguments);
  if (!secrets) return report(secrets.error());
  const Result<Outcome> outcome = command.run(*arguments, machine::LiveHost());
  if (!outcome) {
    const int exit = report(WithoutPasswords(outcome.error(), *secrets));
    if (outcome.error().code == Code::kInterrupted) machine::EndBySignal();
    return exit;
  }
  PrintFindings(stderr, outcome->findings, arguments->Has("verbose"));
  return Print(outcome->out, outcome->exit);
}

bool IsHelp(std::string_view word) { return word == "--help" || word == "-h" || word == "help"; }

// Allows --output before the command.
std::vector<std::string> CommandFirst(std::vector<std::string> words) {
  if (words.empty() || !words.front().starts_with("--output")) return words;
  const std::size_t before = words.front() == "--output" ? 2 : 1;
  std::ranges::rotate(words, words.begin() + static_cast<std::ptrdiff_t>(std::min(before, words.size())));
  return words;
}

int RefuseCommand(const std::string& word, std::span<const std::string> words) {
  std::vector<std::string_view> known;
  for (const Maker make : kCommands) known.push_back(make().spec.name);
  const auto later = std::ranges::find_first_of(words.subspan(1), known);
  known.insert(known.end(), {"--help", "--version"});
  std::string closest = DidYouMean(word, known);
  if (closest.empty() && later != words.end()) {
    closest = fmt::format("the command comes first, as in provisioner {};", *later);
  }
  Error error{Code::kUsage,
              fmt::format("there is no command \"{}\"; {}provisioner --help lists them", word,
                          closest.empty() ? "" : closest + " "),
              "provisioner"};
  return ReportError(WithoutPasswords(std::move(error), words), {AsksForJson(words), AsksForJson(words)});
}

int Dispatch(std::vector<std::string> words) {
  words = CommandFirst(std::move(words));
  const bool json = AsksForJson(words);
  if (words.empty() || words.front().starts_with("--output")) {
    return ReportError({Code::kUsage, "a command is missing; provisioner --help lists them", "provisioner"},
                       {json, json});
  }
  const bool of_command = words.size() > 1 && !words[1].starts_with('-') && words[1] != "all";
  if (IsHelp(words.front()) && of_command) {  // help COMMAND
    words.erase(words.begin());
    words.insert(words.begin() + 1, "--help");
  }
  if (IsHelp(words.front())) return Print(json ? GeneralHelpDocument() : GeneralHelp(), 0);
  if (words.front() == "--version") return Print(json ? VersionDocument() : VersionText(), 0);
  for (const Maker make : kCommands) {
    const Command command = make();
    if (command.spec.name == words.front()) return RunCommand(command, std::span(words).subspan(1));
  }
  return RefuseCommand(words.front(), words);
}

}  // namespace

void EndDefectsWithExit20() {
  std::set_terminate(EndAsDefect);
  std::signal(SIGABRT, OnAbort);
}

std::vector<CommandSpec> CommandSpecs() {
  std::vector<CommandSpec> out;
  out.reserve(std::size(kCommands));
  for (const Maker make : kCommands) out.push_back(make().spec);
  return out;
}

int Main(int argc, char** argv) {
  EndDefectsWithExit20();
  MakeFailedWritesErrors();
  net::ForgetKeyLogFile();
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  try {
    return Dispatch(words);
  } catch (const std::exception& error) {
    return ReportError({Code::kInternal, fmt::format("unexpected: {}", error.what()), "provisioner"},
                       {AsksForJson(words), AsksForJson(words)});
  }
}

}  // namespace prov::cli
