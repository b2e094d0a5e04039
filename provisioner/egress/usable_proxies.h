// The proxy settings of a source that is to be applied somewhere: on a node, or in a cluster's pods.
#pragma once

#include "provisioner/egress/egress_config.h"

namespace prov::egress {

// ParseProxySettings, for settings that are about to be written. A malformed URL is an error and not only a finding:
// clients would go around a proxy that they can't parse. Errors: fail-open (also for a malformed URL), no-proxy.
Result<ProxySettings> ParseUsableProxies(const EgressConfig& config, Findings& findings);

}  // namespace prov::egress
