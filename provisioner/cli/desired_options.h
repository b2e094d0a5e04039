// The options that `bake`, `plan`, `apply` and `first-boot` share: what is wanted of a source's settings.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/cli/options.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::cli {

std::vector<OptionSpec> DesiredOptionSpecs();

// `choices` with what the command line says on top. Errors: usage, those of reading --subtract's bundle.
Result<reconcile::DesiredOptions> ParseDesiredOptions(const Arguments& arguments, reconcile::DesiredOptions choices,
                                                      Findings& findings);

}  // namespace prov::cli
