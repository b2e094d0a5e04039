// `check --secret`: checks whether a Secret with our user data contains the current version of the script that our step
// was put before.
#pragma once

#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/options.h"

namespace prov::cli {

// --secret and --append-to.
OptionGroup SecretCheckOptionSpecs();

// Compares the two files. Exit code 4 if ours is out of date. Errors: usage; kind (a file has other contents); those of
// reading the files.
Result<Outcome> CheckSecret(const Arguments& arguments);

}  // namespace prov::cli
