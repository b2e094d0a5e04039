// kube:// sources, read from the Kubernetes API of an OpenShift cluster. Facts: docs/openshift.md#objects.
#pragma once

#include "provisioner/source/kube_access.h"

namespace prov::source {

// Reads the pool's rendered MachineConfig, a MachineConfig by name, the ControllerConfig, or the Proxy with its trust
// ConfigMap (kube_uri.h). Retries temporary failures a few times. Errors: usage, network, tls, not-found, those of
// kubeconfigs (kube_config.h) and of the format that is read.
Result<egress::EgressConfig> ReadKube(const SourceRequest& request, const SourcePorts& ports,
                                      const KubeEnvironment& here = ThisProcess());

}  // namespace prov::source
