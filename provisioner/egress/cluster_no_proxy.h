// The entries that an OpenShift cluster adds to the noProxy of its user, from 4.14 on. Facts:
// docs/openshift.md#merged-noproxy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prov::egress {

inline constexpr std::string_view kMetadataAddress = "169.254.169.254";

// The known facts of a cluster; an empty member is unknown.
struct ClusterDescription {
  bool hosted = false;                        // the control plane runs elsewhere (HyperShift)
  std::vector<std::string> machine_networks;  // CIDRs, here and below
  std::vector<std::string> cluster_networks;
  std::vector<std::string> service_networks;
  std::string api_host;      // of the internal API server
  std::string platform;      // as Infrastructure names it: AWS, Azure, GCP, OpenStack, …
  std::string region;        // of AWS
  std::string cloud_name;    // of Azure; unlike other members, "" is a cloud that is not the public one
  std::string arm_endpoint;  // of Azure Stack: a URL
};

// Whether machines of the platform get facts about themselves from kMetadataAddress.
bool HasMetadataAddress(std::string_view platform);

// The entries, in no particular order and possibly repeated; none for unknown facts. Leaves out a machine network
// 0.0.0.0/0, which would exempt everything; does not check other networks.
std::vector<std::string> ClusterNoProxy(const ClusterDescription& cluster);

}  // namespace prov::egress
