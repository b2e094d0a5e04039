// The options that `bake`, `plan`, `apply` and `first-boot` share: what is wanted of a source's settings.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "provisioner/base/file.h"
#include "provisioner/base/finding.h"
#include "provisioner/cli/options.h"
#include "provisioner/reconcile/desired_state.h"

namespace prov::cli {

std::vector<OptionSpec> DesiredOptionSpecs();

// --trust, which commands that only look at certificates have, too.
OptionSpec TrustOption();
// The SHA-256 digests of the certificates that --trust names. Errors: usage.
Result<std::set<std::string, std::less<>>> NamedCertificates(const Arguments& arguments);

// `choices` with what the command line says on top. `read` reads --subtract's bundle. Errors: usage, those of reading
// it.
Result<reconcile::DesiredOptions> ParseDesiredOptions(const Arguments& arguments, reconcile::DesiredOptions choices,
                                                      const FileReader& read, Findings& findings);

}  // namespace prov::cli
