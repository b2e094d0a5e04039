// The command line as a table: one description of a command gives both its parser and its --help.
#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::cli {

// The heading under which --help shows an option. Headings come in this order.
enum class Group {
  kSource,
  kTarget,
  kPayload,
  kUserData,
  kRequests,
  kScope,
  kCredentials,
  kTrust,
  kChecks,
  kGuards,
  kRun,
  kOutput,
};

struct OptionSpec {
  std::string_view name;   // without dashes
  std::string_view value;  // placeholder such as "FILE"; "" = a switch; "FILE..." takes all words up to the next option
  std::string_view help;
  Group group;
  bool secret = false;  // its value may hold a password or a token, and may be read from elsewhere (secret_argument.h)
  // The words that it accepts, separated by blanks, if `value` is a placeholder. Completion offers them.
  std::string_view choices = {};
};

using OptionGroup = std::vector<OptionSpec>;
// The options of a command: those of the groups and its own, in this order.
OptionGroup JoinOptions(std::initializer_list<OptionGroup> groups);

struct CommandSpec {
  std::string_view name;
  std::string_view summary;     // one line
  std::string_view positional;  // "SOURCE", "" for none, several with blanks between, or "[CODE]..." for any number
  std::string_view details;     // paragraphs for --help
  std::string_view example;     // a real command line and its output
  OptionGroup options;
  // The options, or OPTION=VALUE, with which the positional word is not needed, separated by blanks.
  std::string_view instead = {};
  // The options that --help shows, in this order, separated by blanks; --help all shows all. "": both show all.
  std::string_view common = {};
  // What completion offers for each positional word.
  std::vector<std::string_view> words = {};
};

struct SecretPlaces;

class Arguments {
 public:
  // The positional word of a command with one.
  const std::string& positional() const { return positional_; }
  // The positional words of a command with several, or any number.
  const std::vector<std::string>& words() const { return words_; }
  bool Has(std::string_view name) const { return values_.contains(name); }
  // Whether the command has this option.
  bool Knows(std::string_view name) const;
  // The names of the options given.
  std::vector<std::string> Names() const;
  // The last value given, or `fallback`.
  std::string Get(std::string_view name, std::string_view fallback = {}) const;
  // All values given, in order, unchanged.
  std::vector<std::string> All(std::string_view name) const;
  // All values given, in order; each may be a comma-separated list.
  std::vector<std::string> List(std::string_view name) const;

 private:
  friend Result<Arguments> ParseArguments(const CommandSpec& command, std::span<const std::string> words);
  friend Result<std::string> OneOf(const Arguments& arguments, std::string_view name);
  friend Result<std::vector<std::string>> ReadSecretArguments(const CommandSpec& command, const SecretPlaces& places,
                                                              Arguments& arguments);
  std::string positional_;
  std::vector<std::string> words_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  OptionGroup options_;  // of the command
};

// Errors: usage, with a remedy.
Result<Arguments> ParseArguments(const CommandSpec& command, std::span<const std::string> words);

// `all`: every option, and not only the common ones.
std::string HelpText(const CommandSpec& command, bool all);
// The whole help as
// `{"schema":1,"command","summary","positional","details","options":[{"name","value","help","group"}], "example"}`.
std::string HelpDocument(const CommandSpec& command);

// Breaks lines at blanks to at most `width`; lines after the first are indented by `indent` blanks.
std::string Wrap(std::string_view text, std::size_t indent, std::size_t width);

// The value of an option that accepts the words of its `choices`, or of a placeholder such as "text|json". The first is
// the default. Errors: usage.
Result<std::string> OneOf(const Arguments& arguments, std::string_view name);

// The error for a value that is not in `allowed`: "takes one of a, b, not "c"", with a suggestion. `place` names the
// option; `how_many` is a phrase such as "one of" or "a list of".
std::unexpected<Error> RefuseValue(std::string place, std::string_view how_many, std::string_view value,
                                   std::span<const std::string_view> allowed);

// A decimal integer of at least 0. Errors: usage.
Result<std::int64_t> Number(const Arguments& arguments, std::string_view name, std::int64_t fallback);

}  // namespace prov::cli
