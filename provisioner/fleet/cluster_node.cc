#include "provisioner/fleet/cluster_node.h"

#include "provisioner/fleet/node_state.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {

Result<source::KubeAccess> OpenCluster(machine::Host& host, const node::ClusterNode& node,
                                       std::optional<int> timeout_seconds) {
  source::SourceSpec spec;
  spec.source = "kube://";
  spec.kubeconfig = node.kubeconfig;
  spec.timeout_seconds = timeout_seconds;
  return source::KubeAccess::Open(node::RequestOf(host, spec, node.is_followed), "", source::ThisProcess());
}

Result<void> ForgetState(machine::Host& host, const node::ClusterNode& node) {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host, node));
  source::KubeClient client(access, {host.http(), host.clock()});
  return client.Patch(source::NodeObject(node.name), AnnotationPatch(kStateAnnotation, std::nullopt));
}

}  // namespace prov::fleet
