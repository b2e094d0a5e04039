// What a cluster's own objects say about the place where its routers run: the network plugin and the platform. Facts:
// docs/egress-router.md#where-routers-run.
#pragma once

#include <string>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/router/router_policy.h"
#include "provisioner/router/router_variables.h"

namespace prov::router {

struct ClusterNetwork {
  std::string plugin = {};  // "OVNKubernetes", "OpenShiftSDN", …; "": unknown
  std::string plugin_where = {};
  std::string platform = {};  // "AWS", …; "": unknown
  std::string platform_where = {};

  // Whether the annotation of openshift-sdn certainly means nothing.
  bool IgnoresMacvlan() const;
};

// Adds what an object says: a Network, an Infrastructure, or an EgressIP, which only OVN-Kubernetes has. Others say
// nothing. Errors: type.
Result<void> AddClusterObject(const RouterObject& object, ClusterNetwork& out);

// Adds findings about a router that can't have its own address there: router-network.
void ReviewNetwork(const RouterPolicy& policy, const ClusterNetwork& network, Findings& out);

}  // namespace prov::router
