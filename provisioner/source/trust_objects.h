// Objects of any cluster that hold trusted certificates and nothing else: ConfigMaps, as OpenShift, trust-manager and
// people write them, and ClusterTrustBundles. Facts: docs/openshift.md#trusted-cas,
// docs/egress-systems.md#objects-with-cas.
#pragma once

#include <span>
#include <string>
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
Result<ConfigMap> ReadConfigMapHead(const ObjectView& object);
Result<std::vector<ConfigMap>> ReadConfigMapHeads(std::span<const FoundObject> objects);

// The names of those that hold certificates in PEM, as a list in words; "": none does. What is malformed holds none.
std::string NamesWithCertificates(std::span<const FoundObject> maps);

// Whether it has the usual key, ca-bundle.crt.
bool HasBundle(const ConfigMap& map);

// The certificates of a key, unparsed. Errors: type; invalid-config when the key is missing; cert.
Result<TrustText> BundleOf(const ConfigMap& map, std::string_view key = kBundleKey);

// The map of this name and namespace ("": any); nullptr if it is not there. Errors: not-found, if there are several.
Result<const ConfigMap*> FindMap(std::span<const ConfigMap> maps, std::string_view name, std::string_view name_space);

// For a ConfigMap alone: certificates, and no statement about the proxy. `key` is where they are; "": in ca-bundle.crt,
// else in the only key that holds some. Errors: type, cert; invalid-config, which names the keys.
Result<Reading> ReadConfigMap(const ConfigMap& map, std::string_view key);

// The same for one of several: the one called `name`; with "" the only one with a bundle, else user-ca-bundle. Errors:
// not-found, and as above.
Result<Reading> ReadConfigMaps(std::span<const ConfigMap> maps, std::string_view name);

// ClusterTrustBundle (certificates.k8s.io): certificates, and no statement about the proxy. Errors: type,
// invalid-config.
Result<Reading> ReadClusterTrustBundle(const ObjectView& object);

}  // namespace prov::source
