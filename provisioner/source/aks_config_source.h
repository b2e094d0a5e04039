// AKS' httpProxyConfig: the file of `az aks create --http-proxy-config`, an ARM fragment, or what `az aks show` prints.
// Facts: docs/egress-systems.md#aks-httpproxyconfig, #aks-noproxy and #aks-updates.
#pragma once

#include "provisioner/source/reading.h"

namespace prov::source {

// Whether an object is one of the three forms.
bool IsAksConfig(const ignition::JsonValue& object);

// NO_PROXY is effectiveNoProxy where it is there, else the user's entries and what AKS adds, as far as the cluster is
// known: from `az aks show`, or from a member "clusterFacts" beside httpProxyConfig or, in the command line's own file,
// beside its keys (apiServerFqdn, serviceCidrs, podCidrs, vnetCidrs, subnetCidrs). "enabled": false and an
// httpProxyConfig that is null are the explicit empty.
// Errors: type, invalid-config, cert; where AKS has a name for one the message begins with it. Findings: aks-disabled,
// aks-injected, aks-https-default, aks-url-slash, aks-key, aks-no-proxy, aks-limit, no-proxy-incomplete; as errors
// aks-url and aks-credentials.
Result<Reading> ReadAksConfig(const ObjectView& object);

}  // namespace prov::source
