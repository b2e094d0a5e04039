// The objects around a router's containers: what keeps its pod from running, or lets two of them have one address.
// Facts: docs/egress-router.md#manifests.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

// A pod, or what makes pods, and what is in it.
struct RouterPod {
  const RouterObject& object;
  const std::vector<RouterContainer>& containers;
  RouterKind kind = RouterKind::kRedirect;
};

// Adds findings: router-annotation, router-privilege, router-service-account, router-replicas, router-node,
// router-mode, router-source (of a pod that has none). Errors: type.
Result<void> CheckManifest(const RouterPod& pod, Findings& out);

}  // namespace prov::router
