// `check --secret`: is a Secret with user data of ours still made of the other script as it is today?
#pragma once

#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

// --secret and --append-to.
std::vector<OptionSpec> SecretCheckOptionSpecs();

// Compares the two files. Exit 4 when ours is stale. Errors: usage; kind (a file that holds something else); those of
// reading them.
Result<Outcome> CheckSecret(const Arguments& arguments);

}  // namespace prov::cli
