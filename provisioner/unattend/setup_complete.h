// The line in %SystemRoot%\Setup\Scripts\SetupComplete.cmd that runs a payload's own script. The rest of the file is
// kept.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov::unattend {

// `existing` ("" for none) with our line at its end, unchanged when it is there already. `setup-complete-exit`: a line
// before it leaves the script, so that ours may not be reached. Errors: target (an encoding that the command
// interpreter does not read).
Result<std::string> AddSetupCompleteLine(std::string_view existing, Findings& findings, std::string_view where);

// The text without our line; everything else byte for byte. `added` is what AddSetupCompleteLine appended to the text;
// if somebody edited the end since then, only the line itself is removed.
std::string RemoveSetupCompleteLine(std::string_view existing, std::string_view added);

}  // namespace prov::unattend
