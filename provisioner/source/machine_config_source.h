// MachineConfigs and Ignition configs: finds the files that matter.
#pragma once

#include <string_view>

#include "ignition/document.h"
#include "provisioner/source/reading.h"

namespace prov::source {

inline constexpr std::string_view kProxyEnvPath = "/etc/mco/proxy.env";
inline constexpr std::string_view kTrustBundlePath =
    "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt";

// Reads the files of the proxy and of the trust bundle. An absent one makes no statement. Errors: those of
// ignition::Config::Read and ParseEnvironmentFile. Findings: legacy-environment, legacy-differs, no-proxy-file,
// no-trust-file.
Result<Reading> ReadMachineConfig(ignition::Document read);

}  // namespace prov::source
