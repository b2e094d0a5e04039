// `check --secret`: checks whether a Secret with our user data still contains the current version of the script that it
// was combined with.
#pragma once

#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

// --secret and --append-to.
OptionGroup SecretCheckOptionSpecs();

// Compares the two files. Exit 4 when ours is out of date. Errors: usage; kind (a file that holds something else);
// those of reading them.
Result<Outcome> CheckSecret(const Arguments& arguments);

}  // namespace prov::cli
