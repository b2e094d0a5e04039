// Rancher's Cluster (provisioning.cattle.io/v1), whose spec.agentEnvVars Rancher gives to its agents and to what they
// install on the nodes. Facts: docs/egress-systems.md#rancher.
#pragma once

#include "provisioner/source/reading.h"

namespace prov::source {

// Whether it is one. Other projects have a kind Cluster, too.
bool IsRancherCluster(const JsonValue& object, std::string_view kind);

// HTTP_PROXY, HTTPS_PROXY and NO_PROXY, and those in lower case where these are empty or missing; no statement about
// certificates. Errors: type; kind if the list has none of them; invalid-config if it has one twice with different
// values, or one with valueFrom. Findings: env-lower-case, not-read.
Result<Reading> ReadRancherCluster(const ObjectView& object);

}  // namespace prov::source
