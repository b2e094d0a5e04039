// Pods and what makes them, whose containers carry the proxy variables: as AKS' webhook and the cluster-version
// operator put them there. Facts: docs/egress-systems.md#aks-pods and #injected-variables.
#pragma once

#include "provisioner/source/reading.h"

namespace prov::source {

// HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the first container that has one of them; certificates: no statement. A pod
// that opted out of AKS' variables and has none makes no statement. Errors: kind where no container has any, type,
// invalid-config where a value is taken from a Secret or ConfigMap. Findings: containers-differ, env-lower-case,
// env-reference, pod-opt-out.
Result<Reading> ReadPodEnvironment(const ObjectView& object, std::string_view kind);

}  // namespace prov::source
