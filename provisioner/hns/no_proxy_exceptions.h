// Turns entries of a node's NO_PROXY into exceptions of a policy: docs/hns-proxy.md#a-nodes-own-exceptions.
#pragma once

#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/hns/policy.h"

namespace prov::hns {

// Adds the IPv4 addresses of the list to the outbound exceptions of the policy, each once. Leaves out everything else
// (names, networks, ports, IPv6, "*"), so that this traffic is redirected; each such entry is a finding "hns-no-proxy"
// at `where`.
void AddNoProxy(const egress::NoProxy& no_proxy, const std::string& where, Policy& policy, Findings& findings);

}  // namespace prov::hns
