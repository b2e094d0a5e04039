// EgressRouter objects (network.operator.openshift.io/v1), as the cluster's network operator and its plugin
// egress-router-cni read them. Facts: docs/egress-router.md#egressrouter.
#pragma once

#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

// Line numbers are those of redirectRules, from 1. Errors: destination if the operator would silently drop or misread a
// value, type. Findings: router-fallback, router-ignored,
// router-target-port.
Result<RouterPolicy> ReadEgressRouter(const RouterObject& object);

}  // namespace prov::router
