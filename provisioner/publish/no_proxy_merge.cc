#include "provisioner/publish/no_proxy_merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <utility>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/cluster_no_proxy.h"
#include "provisioner/publish/request_uri.h"

namespace prov::publish {
namespace {

constexpr std::size_t kMaxNameBytes = 253;

using SortedTexts = std::set<std::string, std::less<>>;
using Merged = std::expected<void, std::string>;

std::unexpected<std::string> Refuse(std::string text) { return std::unexpected(std::move(text)); }

Merged CheckMachineNetwork(std::string_view field, const std::string& cidr) {
  if (IpNetwork::Parse(cidr)) return {};
  return Refuse(fmt::format("{} has an invalid CIDR: {}", field, Shorten(cidr)));
}

Merged AddMachineNetworks(const InstallConfig& config, egress::ClusterDescription& cluster) {
  if (!config.machine_cidr.empty()) {
    if (auto checked = CheckMachineNetwork("MachineCIDR", config.machine_cidr); !checked) return checked;
    cluster.machine_networks.push_back(config.machine_cidr);
  }
  for (const std::string& cidr : config.machine_networks) {
    if (auto checked = CheckMachineNetwork("MachineNetwork", cidr); !checked) return checked;
    cluster.machine_networks.push_back(cidr);
  }
  return {};
}

Merged AddApiServer(const Infrastructure& infrastructure, egress::ClusterDescription& cluster) {
  if (infrastructure.api_internal_url.empty()) {
    return Refuse(fmt::format("internal api server url missing from infrastructure config '{}'", infrastructure.name));
  }
  const auto url = ParseUri(infrastructure.api_internal_url, UriForm::kReference);
  if (!url) return Refuse("failed to parse internal api server internal url");
  cluster.api_host = url->hostname;
  return {};
}

Result<std::string> MetadataName(const ObjectReader& object) {
  const ObjectReader metadata = PROV_TRY(object.Child("metadata"));
  if (!metadata) return std::string();
  const std::string name = PROV_TRY(metadata.Text("name"));
  return std::string(Shorten(name, kMaxNameBytes));
}

// The member "cidr" of each object in an array.
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
  out.name = PROV_TRY(MetadataName(object));
  const ObjectReader status = PROV_TRY(object.Child("status"));
  if (!status) return out;
  out.api_internal_url = PROV_TRY(status.Text("apiServerInternalURI"));
  // Compared in place: g++ 12 at -O2 warns that a moved string is uninitialised.
  const Result<std::string> topology = status.Text("controlPlaneTopology");
  if (!topology) return std::unexpected(topology.error());
  if (!topology->empty()) out.hosted = *topology == "External";
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
  out.name = PROV_TRY(MetadataName(object));
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
  egress::ClusterDescription cluster;
  cluster.hosted = infrastructure.hosted.value_or(false);
  cluster.cluster_networks = network.cluster_networks;
  cluster.service_networks = network.service_networks;
  cluster.platform = infrastructure.platform.value_or("");
  cluster.region = infrastructure.region;
  cluster.cloud_name = infrastructure.cloud_name;
  cluster.arm_endpoint = infrastructure.arm_endpoint;
  if (install_config) {
    if (auto added = AddMachineNetworks(*install_config, cluster); !added) return Refuse(added.error());
  }
  if (!infrastructure.api_by_proxy) {
    if (auto added = AddApiServer(infrastructure, cluster); !added) return Refuse(added.error());
  }
  if (network.service_networks.empty())
    return Refuse(fmt::format("serviceNetwork missing from network '{}' status", network.name));
  if (network.cluster_networks.empty())
    return Refuse(fmt::format("clusterNetwork missing from network `{}` status", network.name));
  SortedTexts set;
  for (std::string& entry : egress::ClusterNoProxy(cluster)) set.insert(std::move(entry));
  for (const std::string_view item : Split(user, ',')) set.emplace(item);
  set.erase("");  // never part of the list
  return fmt::format("{}", fmt::join(set, ","));
}

egress::ClusterFacts FactsOf(const Infrastructure& infrastructure, const Network& network) {
  egress::ClusterFacts out;
  const auto url = ParseUri(infrastructure.api_internal_url, UriForm::kReference);
  if (url && !infrastructure.api_by_proxy) out.api_host = url->hostname;
  out.service_ranges = network.service_networks;
  if (egress::HasMetadataAddress(infrastructure.platform.value_or(""))) out.metadata_address = egress::kMetadataAddress;
  return out;
}

}  // namespace prov::publish
