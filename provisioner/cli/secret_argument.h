// Reads option values that may hold a password or a token from a file, standard input or the environment. On the
// command line they would show in process lists, shell histories and audit events (Windows: 4688).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

// The places from which a value can be read.
struct SecretPlaces {
  // As ReadFile: "-" is standard input.
  std::function<Result<std::string>(const std::string& path, std::uint64_t limit)> file;
  std::function<std::optional<std::string>(const std::string& name)> variable;
};
// Files, standard input and environment of this process.
SecretPlaces PlacesOfThisProcess();

// The explanation in the option tables, for --help.
std::string_view SecretArgumentHelp();

// The value that `text` names: @FILE (one line; its line end does not count), @- (standard input) or env:NAME; any
// other text is the value itself. `where` is for messages, which never quote what was read. Errors: usage (empty, more
// than one line, NUL, a variable that is not set), too-large, those of ReadFile.
Result<std::string> ReadSecretArgument(const std::string& text, std::string_view where, const SecretPlaces& places);

// Replaces all such values by what they name: those of options that may be secret, and a SOURCE that names a URL.
// Returns the values that were read. Errors: those of ReadSecretArgument; usage (standard input is wanted twice; SOURCE
// names no URL).
Result<std::vector<std::string>> ReadSecretArguments(const CommandSpec& command, const SecretPlaces& places,
                                                     Arguments& arguments);

}  // namespace prov::cli
