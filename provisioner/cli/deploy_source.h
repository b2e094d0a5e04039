// The source that pods of a cluster read, as both halves of `deploy` check it before they print it.
#pragma once

#include <string>

#include "provisioner/cli/command.h"

namespace prov::cli {

// Fails if no pod could read this source, or if the manifest would show a password. Errors: usage, scheme.
Result<void> CheckDeployedSource(const Arguments& arguments, const std::string& source);

}  // namespace prov::cli
