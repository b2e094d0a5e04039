// The line in %SystemRoot%\Setup\Scripts\SetupComplete.cmd that runs a payload's own script, beside whatever else the
// file does.
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

// Without our line; everything else byte for byte. `added` is what AddSetupCompleteLine put behind the text that it was
// given; if somebody edited the end since, the line alone goes.
std::string RemoveSetupCompleteLine(std::string_view existing, std::string_view added);

}  // namespace prov::unattend
