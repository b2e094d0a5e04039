// The options that both halves of `deploy --print` have.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/cli/command.h"
#include "provisioner/fleet/manifests.h"

namespace prov::cli {

OptionGroup ManifestOptionSpecs();
// Adds a finding about an image that is named by a tag. Errors: usage, image-reference.
Result<fleet::ManifestOptions> ParseManifestOptions(const Arguments& arguments, Findings& findings);

// Escapes an argument: Kubernetes replaces $(NAME) by a variable, and $$ by a dollar.
std::string EscapedArgument(std::string_view text);

}  // namespace prov::cli
