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

using source::ObjectView;
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

Result<std::string> MetadataName(const ObjectView& object) {
  return std::string(Shorten(PROV_TRY(source::ObjectName(object)), kMaxNameBytes));
}

// The member "cidr" of each object in an array.
Result<std::vector<std::string>> Ranges(const ObjectView& part, std::string_view name) {
  std::vector<std::string> out;
  for (const ObjectView& entry : PROV_TRY(part.Objects(name))) {
    out.emplace_back(PROV_TRY(entry.TextOr("cidr", "")));
    if (out.back().empty()) return Fail(Code::kType, "is missing or empty", entry.At("cidr"));
  }
  return out;
}

Result<InstallConfig> InstallConfigOf(const ObjectView& object) {
  InstallConfig out;
  const auto networking = PROV_TRY(object.Object("networking"));
  if (!networking) return out;
  out.machine_cidr = PROV_TRY(networking->TextOr("machineCIDR", ""));
  out.machine_networks = PROV_TRY(Ranges(*networking, "machineNetwork"));
  return out;
}

}  // namespace

Result<Infrastructure> ReadInfrastructure(const ObjectView& object) {
  Infrastructure out;
  out.name = PROV_TRY(MetadataName(object));
  const auto status = PROV_TRY(object.Object("status"));
  if (!status) return out;
  out.api_internal_url = PROV_TRY(status->TextOr("apiServerInternalURI", ""));
  const std::string_view topology = PROV_TRY(status->TextOr("controlPlaneTopology", ""));
  if (!topology.empty()) out.hosted = topology == "External";
  const auto platform = PROV_TRY(status->Object("platformStatus"));
  if (!platform) return out;
  out.platform = std::string(PROV_TRY(platform->TextOr("type", "")));
  if (const auto aws = PROV_TRY(platform->Object("aws"))) out.region = PROV_TRY(aws->TextOr("region", ""));
  if (const auto azure = PROV_TRY(platform->Object("azure"))) {
    out.cloud_name = PROV_TRY(azure->TextOr("cloudName", ""));
    out.arm_endpoint = PROV_TRY(azure->TextOr("armEndpoint", ""));
  }
  return out;
}

Result<Network> ReadNetwork(const ObjectView& object) {
  Network out;
  out.name = PROV_TRY(MetadataName(object));
  const auto status = PROV_TRY(object.Object("status"));
  if (!status) return out;
  out.service_networks = PROV_TRY(status->TextsOrNone("serviceNetwork"));
  out.cluster_networks = PROV_TRY(Ranges(*status, "clusterNetwork"));
  return out;
}

Result<std::optional<InstallConfig>> ReadInstallConfig(std::string bytes, const std::string& where) {
  const Object object = PROV_TRY(ReadAnyObject(std::move(bytes), where));
  const ObjectView view = ViewOf(object);
  if (PROV_TRY(view.TextOr("kind", "")) != "ConfigMap") return PROV_TRY(InstallConfigOf(view));
  const auto data = PROV_TRY(view.Object("data"));
  if (!data || !data->Has("install-config")) return std::nullopt;
  std::string text(PROV_TRY(data->TextOr("install-config", "")));
  const Object config = PROV_TRY(ReadAnyObject(std::move(text), data->At("install-config")));
  return PROV_TRY(InstallConfigOf(ViewOf(config)));
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
