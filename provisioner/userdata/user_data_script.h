// The script of user data: constant text, and data in one compressed text (Ascii85).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/userdata/user_data_container.h"

namespace prov::userdata {

// What the script unpacks at most of settings and certificates: it reads no further.
constexpr std::size_t kMostUnpackedBytes = 8'000'000;

// A PowerShell script in fewer bytes that means the same: no comments, no indentation, LF, short names of variables,
// no blanks around operators, no line ends inside of braces that need none. For the constant scripts of templates/, not
// for any: it knows no here-strings. What stands between "#region NAME" and "#endregion" is left out unless `regions`
// has the name.
std::string CompactScript(std::string_view script, std::span<const std::string_view> regions);

// The text in lines for a here-string: of 900 columns at most, and none begins with '@, which is its end, or has a word
// for which Windows would log the script with its data (templates/UserData.ps1). The text must not begin so, and a gzip
// in Ascii85 doesn't.
std::string HereStringLines(std::string_view text);

// ASCII, LF, ends in a line end; leaves its exit code in $LASTEXITCODE and does not exit, so that others may follow.
// Errors: size-limit (more than kMostUnpackedBytes).
Result<std::string> UserDataScript(const Container& container, const ContainerOptions& options);

}  // namespace prov::userdata
