#include "provisioner/cli/cluster_node.h"

#include <fmt/format.h>

#include "provisioner/cli/machine_command.h"
#include "provisioner/source/kube_uri.h"

namespace prov::cli {

std::vector<OptionSpec> ClusterNodeOptionSpecs() {
  return {{"node", "NAME",
           "report the state of this machine to the cluster: in the annotation egress-provisioner/state of the Node "
           "NAME, and as Events",
           Group::kRun},
          {"node-kubeconfig", "FILE|in-cluster",
           "with --node: the kubeconfig for that cluster (default: the same as for --kubeconfig)", Group::kRun}};
}

Result<std::optional<ClusterNode>> ParseClusterNode(const Arguments& arguments) {
  if (!arguments.Has("node")) {
    if (!arguments.Has("node-kubeconfig")) return std::nullopt;
    return Fail(Code::kUsage, "needs --node NAME", "--node-kubeconfig");
  }
  ClusterNode out;
  out.name = arguments.Get("node");
  if (!source::IsKubeName(out.name)) {
    return Fail(
        Code::kUsage,
        fmt::format("takes the name of a Node, in lower case as kubectl get nodes shows it, not \"{}\"", out.name),
        "--node");
  }
  const std::string given = arguments.Get("node-kubeconfig", arguments.Get("kubeconfig"));
  out.kubeconfig = PROV_TRY(AbsoluteKubeconfig(given, "--node"));
  return out;
}

std::vector<std::string> WordsOf(const ClusterNode& node) {
  return {"--node=" + node.name, "--node-kubeconfig=" + node.kubeconfig};
}

Result<source::KubeAccess> OpenCluster(machine::Host& host, const ClusterNode& node,
                                       std::optional<int> timeout_seconds) {
  source::SourceRequest request;
  request.source = "kube://";
  request.kubeconfig = node.kubeconfig;
  request.timeout_seconds = timeout_seconds;
  if (node.is_followed) {
    request.read_followed = [&host](const std::string& path, std::uint64_t limit) {
      return host.installation().ReadFollowed(path, limit);
    };
  }
  return source::KubeAccess::Open(request, "", source::ThisProcess());
}

}  // namespace prov::cli
