// What the commands share: looking up a command, its result, and its output for people and programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/cli/options.h"
#include "provisioner/machine/host.h"
#include "provisioner/source/source_spec.h"

namespace prov::cli {

// The exit code of a command that compares if something is not as it should be.
inline constexpr int kExitDifferences = 4;

// `explain` and `router explain` answer for at most this many destinations.
inline constexpr std::size_t kMostAskedDestinations = 100'000;

struct Outcome {
  int exit = 0;
  std::string out;    // for standard output, complete: nothing is printed of a command that fails half-way
  Findings findings;  // for standard error
};

struct Command {
  CommandSpec spec;
  bool always_json = false;         // a data command: errors are a document whatever --output says
  std::string_view data_word = {};  // behind the command's name: makes it a data command
  Result<Outcome> (*run)(const Arguments& arguments, machine::Host& host);
};

Command ExtractCommand();
Command CheckCommand();
Command ExplainCommand();
Command ExplainCodeCommand();
Command CompletionCommand();
Command ManCommand();
Command BakeCommand();
Command PlanCommand();
Command ApplyCommand();
Command StatusCommand();
Command ConfirmCommand();
Command RollbackCommand();
Command RemoveCommand();
Command FirstBootCommand();
Command ReconcileCommand();
Command ServiceCommand();
Command PublishCommand();
Command PodEnvCommand();
Command HnsProxyCommand();
Command RouterCommand();
Command EgressIpCommand();
Command FleetCommand();
Command PodCommand();
Command DeployCommand();

// Of every command, in the order of provisioner --help.
std::vector<CommandSpec> CommandSpecs();

// The options that say how a source is read, of every command with a SOURCE.
OptionGroup SourceOptionSpecs();
OptionSpec ClusterSuffixesOption();  // one of them
// --output and --help, of every command.
OptionGroup OutputOptionSpecs();

// SOURCE and the options that say how to read it, as given. Errors: usage, proxy-url.
Result<source::SourceSpec> ParseSourceSpec(const Arguments& arguments);

// Whether --output json was given. Errors: usage.
Result<bool> WantsJson(const Arguments& arguments);

// How many of them have this severity.
std::size_t CountFindings(const Findings& findings, Severity severity);

// `text` as a member of the open object; null if it is empty.
void WriteTextOrNull(JsonWriter& json, std::string_view key, std::string_view text);

std::int64_t NowUnix();

}  // namespace prov::cli
