// The objects of an OpenShift cluster that determine the settings of nodes: the ControllerConfig, the Proxy, and
// ConfigMaps with certificates such as openshift-config/user-ca-bundle. Facts: docs/openshift.md#objects, #proxy-status
// and #trusted-cas.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "provisioner/source/reading.h"
#include "provisioner/source/source_objects.h"
#include "provisioner/source/trust_names.h"

namespace prov::source {

struct ConfigMap {
  ObjectView object;
  std::string_view name;
  std::string_view name_space;  // "" if the manifest has none
  bool merged = false;          // also holds the cluster's system roots: trusted-ca-bundle, or a map with that injected
};

// Errors: type.
Result<std::vector<ConfigMap>> ReadConfigMapHeads(std::span<const FoundObject> objects);

bool HasBundle(const ConfigMap& map);

// The map's certificates, unparsed. Errors: type; invalid-config when the key is missing; cert.
Result<TrustText> BundleOf(const ConfigMap& map);

// For ConfigMaps without a Proxy: certificates, and no statement about the proxy. If there are several, uses the one
// called `name`; with "" the only one with a bundle, else user-ca-bundle. Errors: not-found, and as above.
Result<Reading> ReadConfigMaps(std::span<const ConfigMap> maps, std::string_view name);

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
