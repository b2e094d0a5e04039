// kube:// sources, read from a cluster's Kubernetes API. Facts: docs/openshift.md#objects.
#pragma once

#include "provisioner/source/kube_access.h"

namespace prov::source {

// Reads the pool's rendered MachineConfig or another object that the URI names (kube_uri.h), a Proxy and a
// HostedCluster with the ConfigMaps that they name. Retries temporary failures a few times. Errors: usage, network,
// tls, not-found, those of kubeconfigs (kube_config.h) and of the format that is read.
Result<egress::EgressConfig> ReadKube(const SourceRequest& request, const SourcePorts& ports,
                                      const KubeEnvironment& here = ThisProcess());

}  // namespace prov::source
