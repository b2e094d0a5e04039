// The line in %SystemRoot%\Setup\Scripts\SetupComplete.cmd that runs a payload's script. The rest of the file is kept.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov::unattend {

// `existing` ("": no file) with our line at its end; unchanged if it has the line. Finding `setup-complete-exit`: an
// earlier line leaves the script, so that ours may not be reached. Errors: target (an encoding that the command
// interpreter does not read).
Result<std::string> AddSetupCompleteLine(std::string_view existing, Findings& findings, std::string_view where);

// The text without our line; everything else stays byte for byte. `added` is what AddSetupCompleteLine appended. If the
// end was edited since, only the line itself is removed.
std::string RemoveSetupCompleteLine(std::string_view existing, std::string_view added);

}  // namespace prov::unattend
