// Checks the objects around a router's containers for faults that keep its pod from running, or that give two pods the
// same address. Facts: docs/egress-router.md#manifests.
#pragma once

#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/router/cluster_network.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

// A pod, or an object that creates pods, with its containers.
struct RouterPod {
  const RouterObject& object;
  const std::vector<RouterContainer>& containers;
  RouterKind kind;
  const ClusterNetwork& network;
};

// Where the network is not openshift-sdn, a proxy is checked as a pod without an interface of its own; what needs one
// is left to ReviewNetwork(). Adds findings: router-network, router-annotation, router-privilege,
// router-service-account, router-replicas, router-node, router-mode, router-source (for a pod without one). Errors:
// type.
Result<void> CheckManifest(const RouterPod& pod, Findings& out);

}  // namespace prov::router
