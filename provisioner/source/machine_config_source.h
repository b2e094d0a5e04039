// Reads an EgressConfig from the bytes of a MachineConfig or Ignition config: finds the files that matter and parses
// them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ignition/document.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

inline constexpr std::string_view kProxyEnvPath = "/etc/mco/proxy.env";
inline constexpr std::string_view kTrustBundlePath =
    "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt";

// `where` names the input in messages. `fetcher` may be null; then remote configs and contents are errors.
Result<egress::EgressConfig> ReadMachineConfig(std::string bytes, const std::string& where,
                                               const ignition::Selection& selection, const ignition::Limits& limits,
                                               ignition::Fetcher* fetcher);
// The same for a document that is already parsed.
Result<egress::EgressConfig> ReadMachineConfig(std::unique_ptr<JsonDocument> parsed, const std::string& where,
                                               const ignition::Selection& selection, const ignition::Limits& limits,
                                               ignition::Fetcher* fetcher);

}  // namespace prov::source
