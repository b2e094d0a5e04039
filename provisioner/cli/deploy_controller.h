// `deploy --print --keep-secret`: the manifests of the controller; and what both halves of `deploy` read.
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

// Escapes an argument: Kubernetes replaces $(NAME) by a variable, and $$ by a dollar.
std::string EscapedArgument(std::string_view text);
// --image: a name for kubelet, so skopeo's "docker://" is refused. Errors: usage.
Result<std::string> ParseImage(const Arguments& arguments);
// --api-server, "host", "host:port", "[::1]:6443": host and port; both "": not given. Errors: usage.
Result<std::pair<std::string, std::string>> ParseApiServer(const Arguments& arguments);

// NAMESPACE and NAME of an option's "NAMESPACE/NAME". Errors: usage.
Result<std::pair<std::string, std::string>> NameInNamespace(const Arguments& arguments, std::string_view option);

}  // namespace prov::cli
