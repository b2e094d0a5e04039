// The script of user data: constant text, and data in one compressed text (Ascii85).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/userdata/user_data_container.h"

namespace prov::userdata {

// The most bytes of settings and certificates that the script unpacks.
constexpr std::size_t kMostUnpackedBytes = 8'000'000;

// A shorter PowerShell script with the same meaning: no comments, no indentation, LF, short names of variables and of
// functions (Verb-Noun), no blanks around operators, no unneeded line ends inside braces. Only for the constant scripts
// of templates/: it does not understand here-strings. The text between "#region NAME" and "#endregion" is left out
// unless `regions` has the name.
std::string CompactScript(std::string_view script, std::span<const std::string_view> regions);

// The text in lines for a here-string, of at most 900 columns. No line begins with '@, which would end the here-string,
// or contains a word for which Windows would log the script with its data (templates/UserData.ps1). The text itself
// must not begin that way; a gzip in Ascii85 doesn't.
std::string HereStringLines(std::string_view text);

// ASCII, LF, ends with a line end. It leaves its exit code in $LASTEXITCODE and does not exit, so that other scripts
// can follow. Errors: size-limit (more than kMostUnpackedBytes).
Result<std::string> UserDataScript(std::string_view container, const ContainerOptions& options);

}  // namespace prov::userdata
