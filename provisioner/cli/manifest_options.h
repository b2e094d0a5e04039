// The options that both halves of `deploy --print` have.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/cli/command.h"
#include "provisioner/fleet/manifests.h"

namespace prov::cli {

OptionGroup ManifestOptionSpecs();
// `repository`: the default image is this, with this program's version. Errors: usage.
Result<fleet::ManifestOptions> ParseManifestOptions(const Arguments& arguments, std::string_view repository);

// Escapes an argument: Kubernetes replaces $(NAME) by a variable, and $$ by a dollar.
std::string EscapedArgument(std::string_view text);

}  // namespace prov::cli
