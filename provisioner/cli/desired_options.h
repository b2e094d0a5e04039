// The options of `bake`, `plan`, `apply` and `first-boot` that choose what to take from a source's settings.
#pragma once

#include <set>
#include <string>

#include "provisioner/cli/options.h"
#include "provisioner/node/choices.h"

namespace prov::cli {

OptionGroup DesiredOptionSpecs();
OptionSpec OctetsOption();  // --winhttp-octets, one of them

// --trust, which commands that only read certificates have, too.
OptionSpec TrustOption();
// The SHA-256 digests of the certificates that --trust names. Errors: usage.
Result<std::set<std::string, std::less<>>> NamedCertificates(const Arguments& arguments);

// Errors: usage.
Result<node::Choices> ParseChoices(const Arguments& arguments);

}  // namespace prov::cli
