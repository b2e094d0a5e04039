// The cluster's Proxy object (config.openshift.io/v1). Facts: docs/openshift.md#proxy-status and #objects.
#pragma once

#include <span>

#include "provisioner/source/config_map_source.h"

namespace prov::source {

// `status` is what the cluster's operator published, and counts; `spec` is taken only where there is no status yet. The
// certificates are those that nodes get: user-ca-bundle and what spec.trustedCA names, or else a merged bundle; where
// `maps` lack what is named there is no statement, and where they lack user-ca-bundle, which not every cluster has, a
// finding. Errors: type, invalid-config, cert. Findings: proxy-not-accepted,
// proxy-status-differs, no-proxy-incomplete, no-trust-config-map, no-user-ca-bundle.
Result<Reading> ReadProxyObject(const ObjectView& proxy, std::span<const ConfigMap> maps);

}  // namespace prov::source
