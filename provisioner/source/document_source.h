// Reads an EgressConfig from the bytes of any document that can be a source, wherever the document came from.
#pragma once

#include <string>

#include "ignition/document.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// Recognises the document by its content: MachineConfig or Ignition config (or a list), ControllerConfig, Proxy with
// its trust ConfigMap, install-config, AKS httpProxyConfig, pod template. `where` names the input in messages.
// `fetcher` may be null; then remote configs and contents are errors. Errors: json, yaml, kind, and those of the
// format. Their `where` is the place in the document, their `file` the input.
Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                          const ignition::Limits& limits = {});

}  // namespace prov::source
