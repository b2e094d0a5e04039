// Reads an EgressConfig from a MachineConfig or Ignition config: finds the files that matter and parses them.
#pragma once

#include <string_view>

#include "ignition/document.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

inline constexpr std::string_view kProxyEnvPath = "/etc/mco/proxy.env";
inline constexpr std::string_view kTrustBundlePath =
    "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt";

// Takes what ignition::ReadConfig() or ReadParsed() returned, and frees it before the certificates are read, so that
// both are never in memory together.
Result<egress::EgressConfig> ReadMachineConfig(Result<ignition::Document> read);

}  // namespace prov::source
