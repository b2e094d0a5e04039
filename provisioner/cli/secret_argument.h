// Values of options that may hold a password or a token, from elsewhere than the command line: lists of processes,
// shell histories and audit events (Windows: 4688) show what stands there.
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

// Where a value may stand instead.
struct SecretPlaces {
  // As ReadFile: "-" is standard input.
  std::function<Result<std::string>(const std::string& path, std::uint64_t limit)> file;
  std::function<std::optional<std::string>(const std::string& name)> variable;
};
// Files, standard input and environment of this process.
SecretPlaces PlacesOfThisProcess();

// What the option tables say of it, for --help.
std::string_view SecretArgumentHelp();

// The value that `text` names: @FILE (one line; its line end does not count), @- (standard input) or env:NAME; any
// other text is the value itself. `where` is for messages, which never quote what was read. Errors: usage (empty, more
// than one line, NUL, a variable that is not set), too-large, those of ReadFile.
Result<std::string> ReadSecretArgument(const std::string& text, std::string_view where, const SecretPlaces& places);

// Puts what they name in the place of all such values: those of options that may be secret, and a SOURCE that names a
// URL. The result are the values that were read. Errors: those of ReadSecretArgument; usage (standard input is wanted
// twice; SOURCE names no URL).
Result<std::vector<std::string>> ReadSecretArguments(const CommandSpec& command, const SecretPlaces& places,
                                                     Arguments& arguments);

}  // namespace prov::cli
