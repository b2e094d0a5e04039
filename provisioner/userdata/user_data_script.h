// The script of user data: constant text, and the data as one compressed text (Ascii85).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/userdata/user_data_container.h"

namespace prov::userdata {

// The script unpacks at most this many bytes of settings and certificates.
constexpr std::size_t kMostUnpackedBytes = 8'000'000;

// A shorter PowerShell script with the same meaning: no comments, no indentation, LF, short names of variables and of
// functions (Verb-Noun), no blanks around operators, no unneeded line ends inside braces. Use it only for the constant
// scripts of templates/, because it does not understand here-strings. Leaves out the text between "#region NAME" and
// "#endregion" unless `regions` has the name.
std::string CompactScript(std::string_view script, std::span<const std::string_view> regions);

// The text in lines of at most 900 columns for a here-string. No line begins with '@, which would end the here-string.
// No line contains a word for which Windows would log the script with its data (templates/UserData.ps1). The text
// itself must not begin that way; a gzip in Ascii85 doesn't.
std::string HereStringLines(std::string_view text);

// ASCII, LF, ends with a line end. It leaves its exit code in $LASTEXITCODE and does not exit, so that other scripts
// can follow. Errors: size-limit (more than kMostUnpackedBytes).
Result<std::string> UserDataScript(std::string_view container, const ContainerOptions& options);

// The data in a script of UserDataScript, in Ascii85; empty if there are none.
std::string_view DataOfScript(std::string_view script);
// The container in the unpacked data, behind the scripts; nullopt if they are cut short.
std::optional<std::string> BehindScripts(std::string_view unpacked);

}  // namespace prov::userdata
