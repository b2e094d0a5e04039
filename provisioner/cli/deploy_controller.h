// `deploy --print --keep-secret`: the manifests of the controller.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "provisioner/cli/command.h"

namespace prov::cli {

OptionSpec KeepSecretOption();
OptionGroup ControllerOnlyOptionSpecs();  // those that need --keep-secret

// Errors: usage.
Result<Outcome> DeployController(const Arguments& arguments);

// NAMESPACE and NAME of an option's "NAMESPACE/NAME". Errors: usage.
Result<std::pair<std::string, std::string>> NameInNamespace(const Arguments& arguments, std::string_view option);

}  // namespace prov::cli
