// The objects of an OpenShift cluster that determine the settings of nodes: the ControllerConfig, the Proxy, and
// ConfigMaps with certificates such as openshift-config/user-ca-bundle. Facts: docs/openshift.md#objects, #proxy-status
// and #trusted-cas.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "provisioner/source/reading.h"
#include "provisioner/source/trust_names.h"

namespace prov::source {

struct ConfigMap {
  ObjectView object;
  std::string_view name;
  std::string_view name_space;  // "" where the manifest gives none
  bool merged = false;          // holds the cluster's system roots, too: trusted-ca-bundle, or injected with it
};

// Errors: type.
Result<ConfigMap> ReadConfigMapHead(const ObjectView& object);

bool HasBundle(const ConfigMap& map);

// Its certificates as bytes. Errors: type; invalid-config when the key is missing; cert.
Result<TrustText> BundleOf(const ConfigMap& map);

// For ConfigMaps alone: certificates, and no statement about the proxy. If there are several, the one called `name`;
// with "" the only one with a bundle, else user-ca-bundle. Errors: not-found, and as above.
Result<Reading> ReadConfigMaps(std::span<const ConfigMap> maps, std::string_view name);

// ControllerConfig (machineconfiguration.openshift.io/v1): proxy and trust bundle in one object, as nodes get them:
// spec.proxy and spec.additionalTrustBundle (base64). null is the explicit empty; a member that is absent makes no
// statement. Errors: type, no-config, cert. Findings: no-proxy-file.
Result<Reading> ReadControllerConfig(const ObjectView& object);

// The cluster's Proxy object (config.openshift.io/v1). `status` is what the cluster's operator published, and is used;
// `spec` only if there is no status yet. The certificates are those that nodes get: user-ca-bundle and what
// spec.trustedCA names, or else a merged bundle. If `maps` lack what is named there, the result makes no statement
// about certificates. If they lack user-ca-bundle, which not every cluster has, there is a finding. Errors: type,
// invalid-config, cert. Findings: proxy-not-accepted, proxy-status-differs, no-proxy-incomplete, no-trust-config-map,
// no-user-ca-bundle.
Result<Reading> ReadProxyObject(const ObjectView& proxy, std::span<const ConfigMap> maps);

}  // namespace prov::source
