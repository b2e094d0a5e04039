#include "provisioner/egress/cluster_no_proxy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace prov::egress {
namespace {

constexpr std::string_view kAnyIpv4 = "0.0.0.0/0";

void AddPlatform(const ClusterDescription& cluster, std::vector<std::string>& out) {
  if (HasMetadataAddress(cluster.platform)) out.emplace_back(kMetadataAddress);
  if (cluster.platform == "AWS" && !cluster.region.empty()) {
    out.push_back(cluster.region == "us-east-1" ? std::string(".ec2.internal")
                                                : fmt::format(".{}.compute.internal", cluster.region));
  } else if (cluster.platform == "Azure") {
    if (cluster.cloud_name != "AzurePublicCloud") out.emplace_back("168.63.129.16");
    if (cluster.cloud_name == "AzureStackCloud" && !cluster.arm_endpoint.empty()) out.push_back(cluster.arm_endpoint);
  } else if (cluster.platform == "GCP") {
    for (const char* name : {"metadata", "metadata.google.internal", "metadata.google.internal."})
      out.emplace_back(name);
  }
}

}  // namespace

bool HasMetadataAddress(std::string_view platform) {
  constexpr std::array<std::string_view, 4> kPlatforms = {"AWS", "GCP", "Azure", "OpenStack"};
  return std::ranges::find(kPlatforms, platform) != kPlatforms.end();
}

std::vector<std::string> ClusterNoProxy(const ClusterDescription& cluster) {
  std::vector<std::string> out = {"127.0.0.1", "localhost", ".svc", ".cluster.local"};
  if (cluster.hosted) out.emplace_back(".hypershift.local");
  std::ranges::copy_if(cluster.machine_networks, std::back_inserter(out),
                       [](const std::string& cidr) { return cidr != kAnyIpv4; });
  for (const auto* list : {&cluster.cluster_networks, &cluster.service_networks})
    out.insert(out.end(), list->begin(), list->end());
  if (!cluster.api_host.empty()) out.push_back(cluster.api_host);
  AddPlatform(cluster, out);
  return out;
}

}  // namespace prov::egress
