// Where settings come from: from the SOURCE of a command line to an EgressConfig.
#pragma once

#include <string>

#include "ignition/document.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// `source` is a path or "-" for standard input. Errors: not-found, io, too-large, kind, and those of the format that is
// found there.
Result<egress::EgressConfig> Read(const std::string& source, const ignition::Selection& selection);

}  // namespace prov::source
