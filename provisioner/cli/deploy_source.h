// The source that pods of a cluster read, as both halves of `deploy` check it before they print it.
#pragma once

#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

enum class SourceReader { kNodes, kController };

// Fails if no such pod could read this source, or if the manifest would show a password. Errors: usage, scheme.
// Adds a finding if it has a query, which may be a token.
Result<void> CheckDeployedSource(const Arguments& arguments, const std::string& source, SourceReader reader,
                                 Findings& findings);

}  // namespace prov::cli
