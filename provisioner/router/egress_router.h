// EgressRouter objects (network.operator.openshift.io/v1), as the cluster's network operator and its plugin
// egress-router-cni take them. Facts: docs/egress-router.md#egressrouter.
#pragma once

#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

// Lines are the numbers of redirectRules, from 1. Errors: destination where the operator drops or mistakes a value
// silently, type. Findings: router-fallback, router-ignored, router-target.
Result<RouterPolicy> ReadEgressRouter(const RouterObject& object);

}  // namespace prov::router
