// This machine as a Node of a cluster: its name there, and how to reach the cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/cli/options.h"
#include "provisioner/machine/host.h"
#include "provisioner/source/kube_access.h"

namespace prov::cli {

struct ClusterNode {
  std::string name;
  std::string kubeconfig;    // absolute, or "in-cluster"
  bool is_followed = false;  // read from where the node stores them: only administrators may be able to write the file
};

// --node and --node-kubeconfig.
std::vector<OptionSpec> ClusterNodeOptionSpecs();
// nullopt: --node was not given. Errors: usage.
Result<std::optional<ClusterNode>> ParseClusterNode(const Arguments& arguments);
// The words that ParseClusterNode understands, with absolute paths.
std::vector<std::string> WordsOf(const ClusterNode& node);

// `timeout_seconds`: as in SourceRequest. Errors: those of source::KubeAccess::Open.
Result<source::KubeAccess> OpenCluster(machine::Host& host, const ClusterNode& node,
                                       std::optional<int> timeout_seconds = {});

}  // namespace prov::cli
