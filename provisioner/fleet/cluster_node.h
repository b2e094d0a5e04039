// Access to the cluster of this machine, and changes to its Node object.
#pragma once

#include <optional>

#include "provisioner/machine/host.h"
#include "provisioner/node/node_reporting.h"
#include "provisioner/source/kube_access.h"

namespace prov::fleet {

// `timeout_seconds`: as in source::SourceSpec. Errors: those of source::KubeAccess::Open.
Result<source::KubeAccess> OpenCluster(machine::Host& host, const node::ClusterNode& node,
                                       std::optional<int> timeout_seconds = {});

// Removes the annotation with the state of this node. Errors: those of OpenCluster and KubeClient::Patch.
Result<void> ForgetState(machine::Host& host, const node::ClusterNode& node);

}  // namespace prov::fleet
