// What the commands share: looking up a command, its result, and its output for people and programs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/cli/options.h"
#include "provisioner/machine/host.h"
#include "provisioner/source/source_spec.h"

namespace prov::cli {

// The exit code of a command that compares if something is not as it should be.
inline constexpr int kExitDifferences = 4;

struct Outcome {
  int exit = 0;
  std::string out;    // complete standard output: a command that fails prints none of it
  Findings findings;  // for standard error
};

struct Command {
  CommandSpec spec;
  Result<Outcome> (*run)(const Arguments& arguments, machine::Host& host);
  bool always_json = false;         // a data command: its errors are JSON, whatever --output says
  std::string_view data_word = {};  // this word after the command's name makes it a data command
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
Command DoctorCommand();
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
Command ControllerCommand();
Command DeployCommand();

// The options that say how a source is read; every command with a SOURCE has them.
OptionGroup SourceOptionSpecs();
OptionSpec ClusterSuffixesOption();  // one of them
OptionSpec ShowSecretsOption();      // --show-secrets of commands that print JSON
// --output, --verbose and --help, which every command has.
OptionGroup OutputOptionSpecs();

// SOURCE and the options that say how to read it. Errors: usage, proxy-url.
Result<source::SourceSpec> ParseSourceSpec(const Arguments& arguments);

// Checks that SOURCE and the values of these options name standard input ("-") once at most. Errors: usage.
Result<void> CheckStandardInput(const Arguments& arguments, std::span<const std::string_view> options);

// Whether --output json was given. Errors: usage.
Result<bool> WantsJson(const Arguments& arguments);

// Whether no finding is an error and, with `strict`, none is a warning.
bool IsValid(const Findings& findings, bool strict = false);
// "2 error(s), 1 warning(s), 3 known limit(s)": a known limit is not counted as a warning, and is left out if none.
std::string DescribeCounts(const Findings& findings);
// `valid`, `errors`, `warnings` and `findings` as members of the open object.
void WriteValidity(JsonWriter& json, const Findings& findings, bool valid);

// Adds those of `more` that are not there yet.
void AddNewFindings(Findings& findings, const Findings& more);

// `text` as a member of the open object; null if it is empty.
void WriteTextOrNull(JsonWriter& json, std::string_view key, std::string_view text);
// Begins an object as the member `key` of the open object, or writes null. Returns `present`.
bool BeginObjectOrNull(JsonWriter& json, std::string_view key, bool present);
// `"error": {"code","message","where"}` as a member of the open object.
void WriteError(JsonWriter& json, const Error& error);

}  // namespace prov::cli
