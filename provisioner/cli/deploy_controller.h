// `deploy --print --keep-secret` and `--params`: the manifests of the controller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/cli/command.h"

namespace prov::cli {

inline constexpr std::string_view kPlatformOption = "platform";
// Of deploy: kinds of clusters, for the pods on nodes; then those of bake, for --keep-secret.
inline constexpr std::string_view kDeployPlatforms =
    "openshift aks gke kubernetes aws azure gcp vsphere nutanix openstack none";
inline constexpr std::string_view kParamsOption = "params";  // NAMESPACE/NAME of the ConfigMap that is kept
// --interval of the controller, in seconds, so that it speaks well within fleet::kSilentSeconds.
inline constexpr std::int64_t kLongestKeepInterval = 1800;

// What the controller keeps; with either of them the manifests are the controller's.
OptionGroup KeptObjectOptionSpecs();
bool AsksForController(const Arguments& arguments);
OptionGroup KeepSecretOnlyOptionSpecs();  // those that need --keep-secret
OptionSpec FleetNamespaceOption();        // --fleet-namespace, which needs --approval
// Its value; `fallback`: where it is not given. Errors: usage.
Result<std::string> ParseFleetNamespace(const Arguments& arguments, std::string_view fallback);
// Refuses options about user data, but for `except`, without the option that names its Secret, `secret`. Errors: usage.
Result<void> CheckKeptOptions(const Arguments& arguments, std::string_view secret, std::string_view except = {});
// Refuses the Secret of --append-to-secret if it is the kept one, which `option` names. Errors: usage.
Result<void> CheckAppendedSecret(std::string_view kept, std::string_view appended, std::string_view option);
// Refuses all that is for the controller alone. Errors: usage.
Result<void> RefuseControllersOptions(const Arguments& arguments);

// Errors: usage.
Result<Outcome> DeployController(const Arguments& arguments);

// NAMESPACE and NAME of an option's "NAMESPACE/NAME". Errors: usage.
Result<std::pair<std::string, std::string>> NameInNamespace(const Arguments& arguments, std::string_view option);

}  // namespace prov::cli
