// The exceptions that AKS adds to its HTTP proxy's noProxy. Facts: docs/egress-systems.md#aks-noproxy.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prov::source {

// What is known about a cluster; an empty member is not known.
struct AksFacts {
  std::vector<std::string> api_servers;  // names
  std::vector<std::string> service_cidrs;
  std::vector<std::string> pod_cidrs;  // of kubenet and overlay clusters
  std::vector<std::string> vnet_cidrs;
  std::vector<std::string> subnet_cidrs;  // of the nodes, where the CNI is Azure's
};

// What AKS adds: five constants, then what is known of the cluster.
std::vector<std::string> AksInjected(const AksFacts& facts);

// Facts that AKS adds and that are not known, in words; "" for none.
std::string AksUnknown(const AksFacts& facts);

// The user's entries in their order, then the others sorted: AKS lists them in no order, and the same set must give the
// same text. Each once.
std::string JoinNoProxy(std::span<const std::string_view> user, std::vector<std::string> others);

}  // namespace prov::source
