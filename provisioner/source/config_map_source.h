// ConfigMaps that hold certificates: what openshift-config/user-ca-bundle and its like say. Facts:
// docs/openshift.md#trusted-cas.
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

// ConfigMaps alone: certificates, and no statement about the proxy. Of several the one called `name`; "": the only one
// with a bundle, or else user-ca-bundle. Errors: not-found, and as above.
Result<Reading> ReadConfigMaps(std::span<const ConfigMap> maps, std::string_view name);

}  // namespace prov::source
