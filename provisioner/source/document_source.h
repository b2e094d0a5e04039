// From the bytes of any document that a source can be, wherever they came from, to an EgressConfig.
#pragma once

#include <string>

#include "ignition/document.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// Tells by content what it is: MachineConfig or Ignition config (or a list), ControllerConfig, Proxy with its trust
// ConfigMap, install-config, AKS httpProxyConfig, pod template. `where` names the input in messages. `fetcher` may be
// null: remote configs and contents are errors then. Errors: json, yaml, kind, and those of the format; `where` is
// their place, `file` the input that it is in.
Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, const ignition::Limits& limits,
                                          ignition::Fetcher* fetcher);

}  // namespace prov::source
