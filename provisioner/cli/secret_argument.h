// Reads option values that may hold a password or a token from a file, standard input or the environment. On the
// command line they would appear in process lists, shell histories and audit events (Windows: 4688).
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

// Where values can be read from.
struct SecretPlaces {
  // Reads as ReadFile does; "-" is standard input.
  std::function<Result<std::string>(const std::string& path, std::uint64_t limit)> file;
  std::function<std::optional<std::string>(const std::string& name)> variable;
};
// The files, standard input and environment of this process.
SecretPlaces PlacesOfThisProcess();

// The explanation in the option tables, for --help.
std::string_view SecretArgumentHelp();

// The value that `text` refers to: @FILE (one line, without its line end), @- (standard input) or env:NAME; any other
// text is the value itself. `where` is for messages, which never quote what was read. Errors: usage (empty, more than
// one line, NUL, a variable that is not set), too-large, those of ReadFile.
Result<std::string> ReadSecretArgument(const std::string& text, std::string_view where, const SecretPlaces& places);

// Replaces all such values: those of options that may be secret, and a SOURCE that refers to a URL. Returns the values
// that were read. Errors: those of ReadSecretArgument; usage (standard input is named twice; SOURCE does not refer to a
// URL).
Result<std::vector<std::string>> ReadSecretArguments(const CommandSpec& command, const SecretPlaces& places,
                                                     Arguments& arguments);

}  // namespace prov::cli
