// The file proxy.env, through which services on a cluster's nodes get its proxy.
#pragma once

#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/publish/proxy_spec.h"

namespace prov::publish {

// /etc/mco/proxy.env as the machine config operator writes it into each node's config (4.7 and later): its comment,
// then the non-empty variables, unchanged. Byte for byte, because configs are compared by their digests.
std::string RenderProxyEnv(const ProxyValues& status);

// Checks that systemd reads the status' values from proxy.env; if not, the finding `env-differs` names the variable.
void ReviewProxyEnv(const std::string& bytes, const ProxyValues& status, Findings& findings);

}  // namespace prov::publish
