// The suffixes of names within a cluster, which AKS leaves out of NO_PROXY. Facts: docs/egress-systems.md#aks-noproxy.
#pragma once

#include "provisioner/base/result.h"
#include "provisioner/egress/egress_config.h"

namespace prov::source {

// Adds .svc and .cluster.local to the NO_PROXY of an AKS source, as far as they are not in it: without them the names
// of services go to the proxy. Where AKS has no proxy nothing changes. Errors: kind for another source, whose list is
// complete or its owner's own. Findings: aks-cluster-suffixes.
Result<void> AddClusterSuffixes(egress::EgressConfig& config);

}  // namespace prov::source
