// The objects of an OpenShift cluster that determine the settings of nodes: the ControllerConfig, and the Proxy with
// ConfigMaps such as openshift-config/user-ca-bundle. Facts: docs/openshift.md#objects, #proxy-status and #trusted-cas.
#pragma once

#include <span>

#include "provisioner/source/reading.h"
#include "provisioner/source/trust_objects.h"

namespace prov::source {

// ControllerConfig (machineconfiguration.openshift.io/v1): proxy and trust bundle in one object, as nodes get them, in
// spec.proxy and spec.additionalTrustBundle (base64). null means explicitly none; an absent member makes no statement.
// Errors: type, no-config, cert. Findings: no-proxy-file.
Result<Reading> ReadControllerConfig(const ObjectView& object);

// The cluster's Proxy object (config.openshift.io/v1). Uses `status`, which the cluster's operator publishes; `spec`
// only if there is no status yet. The certificates are those that nodes get: user-ca-bundle and the map that
// spec.trustedCA names, or else a merged bundle. If `maps` lack that named map, the result makes no statement about
// certificates. If they lack user-ca-bundle, which not every cluster has, there is a finding. Errors: type,
// invalid-config, cert. Findings: proxy-not-accepted, proxy-status-differs, no-proxy-incomplete, no-trust-config-map,
// no-user-ca-bundle.
Result<Reading> ReadProxyObject(const ObjectView& proxy, std::span<const ConfigMap> maps);

}  // namespace prov::source
