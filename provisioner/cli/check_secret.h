// `check --secret`: checks whether a Secret with our user data has the settings of a source, and the current version of
// the script that our step was put before.
#pragma once

#include "provisioner/cli/command.h"
#include "provisioner/cli/options.h"
#include "provisioner/machine/host.h"

namespace prov::cli {

// --secret and --append-to.
OptionGroup SecretCheckOptionSpecs();

// Compares what was given. Exit code 4 if the Secret is out of date. Errors: usage; kind (a file has other contents);
// those of reading the files and the source, and of MakeDesiredState.
Result<Outcome> CheckSecret(const Arguments& arguments, machine::Host& host);

}  // namespace prov::cli
