// What an OpenShift cluster adds to the noProxy that its user wrote, from 4.14 on. Facts:
// docs/openshift.md#merged-noproxy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prov::egress {

inline constexpr std::string_view kMetadataAddress = "169.254.169.254";

// What is known of a cluster; an empty member is not known.
struct ClusterDescription {
  bool hosted = false;                        // a control plane that runs elsewhere (HyperShift)
  std::vector<std::string> machine_networks;  // CIDRs, here and below
  std::vector<std::string> cluster_networks;
  std::vector<std::string> service_networks;
  std::string api_host;      // of the internal API server
  std::string platform;      // as Infrastructure names it: AWS, Azure, GCP, OpenStack, …
  std::string region;        // of AWS
  std::string cloud_name;    // of Azure; unlike other members, "" is a cloud that is not the public one
  std::string arm_endpoint;  // of Azure Stack: a URL
};

// Whether machines of the platform ask kMetadataAddress about themselves.
bool HasMetadataAddress(std::string_view platform);

// The entries, in no particular order and perhaps some twice; none for what is not known. A machine network 0.0.0.0/0
// is left out, as it would exempt everything; no other network is looked at.
std::vector<std::string> ClusterNoProxy(const ClusterDescription& cluster);

}  // namespace prov::egress
