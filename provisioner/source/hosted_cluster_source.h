// HyperShift's HostedCluster (hypershift.openshift.io/v1beta1), from which the nodes of a hosted OpenShift get their
// settings. Facts: docs/openshift.md#hosted-clusters.
#pragma once

#include <span>

#include "provisioner/source/reading.h"
#include "provisioner/source/trust_objects.h"

namespace prov::source {

// The proxy of spec.configuration.proxy, as a person wrote it: null or {} means explicitly none, an absent member makes
// no statement. The certificates are those of the ConfigMaps that spec.additionalTrustBundle and the proxy's trustedCA
// name, in the object's namespace; if `maps` lack one of them, the result makes no statement about certificates.
// Errors: type, invalid-config, not-found, cert. Findings: no-proxy-file, no-proxy-incomplete, no-trust-config-map.
Result<Reading> ReadHostedCluster(const ObjectView& object, std::span<const ConfigMap> maps);

}  // namespace prov::source
