// The script of user data: constant text, and data in one compressed base64 text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "provisioner/bake/user_data_container.h"

namespace prov::bake {

// A PowerShell script in fewer bytes that means the same: no comments, no indentation, LF, short names of variables,
// no blanks around operators. For the constant scripts of templates/, not for any: it knows no here-strings. What
// stands between "#region NAME" and "#endregion" is left out unless `regions` has the name.
std::string CompactScript(std::string_view script, std::span<const std::string_view> regions);

// The lines of a base64 text, each with its end: short enough for a MIME part, and none with a word for which Windows
// would log the script with its data (templates/UserData.ps1).
std::string WrapData(std::string_view base64);

// ASCII, LF, ends in a line end; leaves its exit code in $LASTEXITCODE and does not exit, so that others may follow.
std::string UserDataScript(const Container& container, const ContainerOptions& options);

}  // namespace prov::bake
