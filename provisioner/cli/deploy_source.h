// The source that pods of a cluster read, as both halves of `deploy` check it before they print it.
#pragma once

#include <string>

#include "provisioner/cli/options.h"

namespace prov::cli {

enum class SourceReader { kNodes, kController };

// Fails if no such pod could read this source, or if the manifest would show a password. Errors: usage, scheme.
Result<void> CheckDeployedSource(const Arguments& arguments, const std::string& source, SourceReader reader);

}  // namespace prov::cli
