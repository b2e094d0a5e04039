#include "provisioner/publish/no_proxy_merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "ignition/shorten.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/ip_address.h"
#include "provisioner/publish/request_uri.h"

namespace prov::publish {
namespace {

constexpr std::string_view kMetadataAddress = "169.254.169.254";
constexpr std::size_t kMostName = 253;
constexpr std::string_view kAnyIpv4 = "0.0.0.0/0";  // a machine network of this would exempt everything

using Set = std::set<std::string, std::less<>>;
using Merged = std::expected<void, std::string>;

std::unexpected<std::string> Refuse(std::string text) { return std::unexpected(std::move(text)); }

bool HasMetadataAddress(std::string_view platform) {
  constexpr std::array<std::string_view, 4> kPlatforms = {"AWS", "GCP", "Azure", "OpenStack"};
  return std::ranges::find(kPlatforms, platform) != kPlatforms.end();
}

Merged AddMachineNetwork(std::string_view field, const std::string& cidr, Set& set) {
  if (!egress::IpNetwork::Parse(cidr))
    return Refuse(fmt::format("{} has an invalid CIDR: {}", field, ignition::Shorten(cidr)));
  if (cidr != kAnyIpv4) set.insert(cidr);
  return {};
}

Merged AddMachineNetworks(const InstallConfig& config, Set& set) {
  if (!config.machine_cidr.empty()) {
    if (auto added = AddMachineNetwork("MachineCIDR", config.machine_cidr, set); !added) return added;
  }
  for (const std::string& cidr : config.machine_networks) {
    if (auto added = AddMachineNetwork("MachineNetwork", cidr, set); !added) return added;
  }
  return {};
}

Merged AddApiServer(const Infrastructure& infrastructure, Set& set) {
  if (infrastructure.api_internal_url.empty()) {
    return Refuse(fmt::format("internal api server url missing from infrastructure config '{}'", infrastructure.name));
  }
  const auto url = ParseUri(infrastructure.api_internal_url, UriForm::kReference);
  if (!url) return Refuse("failed to parse internal api server internal url");
  set.insert(url->hostname);
  return {};
}

Merged AddPlatform(const Infrastructure& infrastructure, Set& set) {
  const std::string platform = infrastructure.platform.value_or("");
  if (HasMetadataAddress(platform)) set.emplace(kMetadataAddress);
  if (platform == "AWS") {
    if (infrastructure.region.empty())
      return Refuse(fmt::format("region missing from infrastructure config '{}'", infrastructure.name));
    set.insert(infrastructure.region == "us-east-1" ? std::string(".ec2.internal")
                                                    : fmt::format(".{}.compute.internal", infrastructure.region));
  } else if (platform == "Azure") {
    if (infrastructure.cloud_name != "AzurePublicCloud") set.emplace("168.63.129.16");
    if (infrastructure.cloud_name == "AzureStackCloud") set.insert(infrastructure.arm_endpoint);
  } else if (platform == "GCP") {
    for (const char* name : {"metadata", "metadata.google.internal", "metadata.google.internal."}) set.emplace(name);
  }
  return {};
}

Merged AddClusterNetworks(const Network& network, Set& set) {
  if (network.cluster_networks.empty())
    return Refuse(fmt::format("clusterNetwork missing from network `{}` status", network.name));
  set.insert(network.cluster_networks.begin(), network.cluster_networks.end());
  return {};
}

Result<std::string> NameOf(const ObjectReader& object) {
  const ObjectReader metadata = PROV_TRY(object.Child("metadata"));
  if (!metadata) return std::string();
  const std::string name = PROV_TRY(metadata.Text("name"));
  return std::string(ignition::Shorten(name, kMostName));
}

// "cidr" of each object of an array.
Result<std::vector<std::string>> Ranges(const ObjectReader& part, std::string_view name) {
  std::vector<std::string> out;
  for (const ObjectReader& entry : PROV_TRY(part.Children(name))) {
    out.push_back(PROV_TRY(entry.Text("cidr")));
    if (out.back().empty()) return Fail(Code::kType, "is missing or empty", entry.Where("cidr"));
  }
  return out;
}

Result<InstallConfig> InstallConfigOf(const ObjectReader& object) {
  InstallConfig out;
  const ObjectReader networking = PROV_TRY(object.Child("networking"));
  if (!networking) return out;
  out.machine_cidr = PROV_TRY(networking.Text("machineCIDR"));
  out.machine_networks = PROV_TRY(Ranges(networking, "machineNetwork"));
  return out;
}

}  // namespace

Result<Infrastructure> ReadInfrastructure(const ObjectReader& object) {
  Infrastructure out;
  out.name = PROV_TRY(NameOf(object));
  const ObjectReader status = PROV_TRY(object.Child("status"));
  if (!status) return out;
  out.api_internal_url = PROV_TRY(status.Text("apiServerInternalURI"));
  out.hosted = PROV_TRY(status.Text("controlPlaneTopology")) == "External";
  const ObjectReader platform = PROV_TRY(status.Child("platformStatus"));
  if (!platform) return out;
  out.platform = PROV_TRY(platform.Text("type"));
  if (const ObjectReader aws = PROV_TRY(platform.Child("aws"))) out.region = PROV_TRY(aws.Text("region"));
  if (const ObjectReader azure = PROV_TRY(platform.Child("azure"))) {
    out.cloud_name = PROV_TRY(azure.Text("cloudName"));
    out.arm_endpoint = PROV_TRY(azure.Text("armEndpoint"));
  }
  return out;
}

Result<Network> ReadNetwork(const ObjectReader& object) {
  Network out;
  out.name = PROV_TRY(NameOf(object));
  const ObjectReader status = PROV_TRY(object.Child("status"));
  if (!status) return out;
  out.service_networks = PROV_TRY(status.Texts("serviceNetwork"));
  out.cluster_networks = PROV_TRY(Ranges(status, "clusterNetwork"));
  return out;
}

Result<std::optional<InstallConfig>> ReadInstallConfig(std::string bytes, const std::string& where) {
  Object object = PROV_TRY(ReadAnyObject(std::move(bytes), where));
  const ObjectReader reader = ReaderOf(object);
  if (PROV_TRY(reader.Text("kind")) != "ConfigMap") return PROV_TRY(InstallConfigOf(reader));
  const ObjectReader data = PROV_TRY(reader.Child("data"));
  if (!data || !data.value().HasMember("install-config")) return std::nullopt;
  const std::string inner = data.Where("install-config");
  const Object config = PROV_TRY(ReadAnyObject(PROV_TRY(data.Text("install-config")), inner));
  return PROV_TRY(InstallConfigOf(ReaderOf(config)));
}

std::expected<std::string, std::string> MergeNoProxy(std::string_view user, const Infrastructure& infrastructure,
                                                     const Network& network,
                                                     const std::optional<InstallConfig>& install_config) {
  if (user == "*") return std::string(user);
  Set set = {"127.0.0.1", "localhost", ".svc", ".cluster.local"};
  if (infrastructure.hosted) set.emplace(".hypershift.local");
  if (install_config) {
    if (auto added = AddMachineNetworks(*install_config, set); !added) return Refuse(added.error());
  }
  if (auto added = AddApiServer(infrastructure, set); !added) return Refuse(added.error());
  if (network.service_networks.empty())
    return Refuse(fmt::format("serviceNetwork missing from network '{}' status", network.name));
  set.insert(network.service_networks.begin(), network.service_networks.end());
  if (auto added = AddPlatform(infrastructure, set); !added) return Refuse(added.error());
  if (auto added = AddClusterNetworks(network, set); !added) return Refuse(added.error());
  for (const std::string_view item : Split(user, ',')) set.emplace(item);
  set.erase("");  // no list would hold it: an empty item, or an Azure Stack without endpoint
  return fmt::format("{}", fmt::join(set, ","));
}

egress::ClusterFacts FactsOf(const Infrastructure& infrastructure, const Network& network) {
  egress::ClusterFacts out;
  if (const auto url = ParseUri(infrastructure.api_internal_url, UriForm::kReference)) out.api_host = url->hostname;
  out.service_ranges = network.service_networks;
  if (HasMetadataAddress(infrastructure.platform.value_or(""))) out.metadata_address = kMetadataAddress;
  return out;
}

}  // namespace prov::publish
