#include "provisioner/source/install_config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/cluster_no_proxy.h"
#include "provisioner/source/mirror_objects.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

using egress::EgressConfig;

constexpr std::size_t kMaxNamedFields = 40;

// What the file says about the planned cluster.
struct PlannedCluster {
  egress::ClusterDescription cluster;
  std::vector<std::string> unknown;  // phrases for what the cluster also adds to noProxy and the file lacks
};

// Reads networks, objects with a cidr. If the file has none, the installer uses defaults.
Result<void> AddNetworks(const std::optional<ObjectView>& networking, std::string_view name, std::string_view what,
                         std::vector<std::string>& out, PlannedCluster& planned) {
  if (networking) {
    for (const ObjectView& network : PROV_TRY(networking->Objects(name))) {
      const std::string_view cidr = PROV_TRY(network.TextOr("cidr", ""));
      if (!cidr.empty()) out.emplace_back(cidr);
    }
  }
  if (out.empty()) planned.unknown.emplace_back(what);
  return {};
}

Result<void> AddAzure(const ObjectView& platform, egress::ClusterDescription& cluster) {
  const auto azure = PROV_TRY(platform.Object("azure"));
  // The installer writes this default into the cluster's Infrastructure.
  cluster.cloud_name = azure ? PROV_TRY(azure->TextOr("cloudName", "")) : "";
  if (cluster.cloud_name.empty()) cluster.cloud_name = "AzurePublicCloud";
  cluster.arm_endpoint = azure ? PROV_TRY(azure->TextOr("armEndpoint", "")) : "";
  return {};
}

Result<void> AddPlatform(const ObjectView& object, EgressConfig& out, PlannedCluster& planned) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPlatforms = {
      {{"aws", "AWS"}, {"gcp", "GCP"}, {"azure", "Azure"}, {"openstack", "OpenStack"}}};
  const auto platform = PROV_TRY(object.Object("platform"));
  if (platform) {
    const auto* found = std::ranges::find_if(kPlatforms, [&](const auto& row) { return platform->Has(row.first); });
    if (found != kPlatforms.end()) planned.cluster.platform = found->second;
    if (const auto aws = PROV_TRY(platform->Object("aws")))
      planned.cluster.region = PROV_TRY(aws->TextOr("region", ""));
    PROV_TRY(AddAzure(*platform, planned.cluster));
  }
  if (egress::HasMetadataAddress(planned.cluster.platform)) out.facts.metadata_address = egress::kMetadataAddress;
  if (!platform || (planned.cluster.platform == "AWS" && planned.cluster.region.empty()))
    planned.unknown.emplace_back("what the platform needs");
  return {};
}

Result<void> AddApiServer(const ObjectView& object, EgressConfig& out, PlannedCluster& planned) {
  const std::string_view name = PROV_TRY(ObjectName(object));
  const std::string_view domain = PROV_TRY(object.TextOr("baseDomain", ""));
  out.source.name = name;
  if (name.empty() || domain.empty()) {
    planned.unknown.emplace_back("the internal API server (api-int)");
    return {};
  }
  out.facts.api_host = fmt::format("api-int.{}.{}", name, domain);
  planned.cluster.api_host = out.facts.api_host;
  return {};
}

// Reads the facts from which the cluster's operator will extend noProxy.
Result<PlannedCluster> ReadPlannedCluster(const ObjectView& object, EgressConfig& out) {
  PlannedCluster planned;
  egress::ClusterDescription& cluster = planned.cluster;
  const auto networking = PROV_TRY(object.Object("networking"));
  const std::string_view machines = networking ? PROV_TRY(networking->TextOr("machineCIDR", "")) : "";
  if (!machines.empty()) cluster.machine_networks.emplace_back(machines);
  PROV_TRY(AddNetworks(networking, "machineNetwork", "the machine network", cluster.machine_networks, planned));
  PROV_TRY(AddNetworks(networking, "clusterNetwork", "the cluster network", cluster.cluster_networks, planned));
  const auto services = networking ? PROV_TRY(networking->Texts("serviceNetwork")) : std::nullopt;
  if (services) cluster.service_networks.assign(services->begin(), services->end());
  if (cluster.service_networks.empty()) planned.unknown.emplace_back("the service network");
  out.facts.service_ranges = cluster.service_networks;
  PROV_TRY(AddApiServer(object, out, planned));
  PROV_TRY(AddPlatform(object, out, planned));
  return planned;
}

// The text of a finding: the missing entries, then what is unknown.
std::string Missing(const PlannedCluster& planned, std::string_view no_proxy) {
  std::set<std::string_view> present;
  for (const std::string_view entry : Split(no_proxy, ',')) present.insert(TrimBlanks(entry));
  std::string out;
  std::size_t named = 0;
  const auto add = [&](std::string_view text) {
    if (++named <= kMaxNamedFields) out += fmt::format("{}{}", out.empty() ? "" : ", ", Shorten(text));
  };
  const std::vector<std::string> entries = egress::ClusterNoProxy(planned.cluster);
  for (const std::string& entry : entries) {
    if (!entry.empty() && present.insert(entry).second) add(entry);
  }
  for (const std::string& words : planned.unknown) add(words);
  if (named > kMaxNamedFields) out += fmt::format(" and {} more", named - kMaxNamedFields);
  return out;
}

Result<void> ReadPlannedProxy(const ObjectView& object, const PlannedCluster& planned, EgressConfig& out) {
  const auto proxy = PROV_TRY(object.Object("proxy"));
  if (!proxy) {
    AddWarning(out.findings, "no-proxy-file",
               "the install-config has no proxy: it makes no statement about it, so proxy settings stay as they are",
               object.At("proxy"));
    return {};
  }
  PROV_TRY(ReadProxyMembers(*proxy, out));
  if (!out.http_proxy && !out.https_proxy)
    return Fail(Code::kInvalidConfig, "must include httpProxy or httpsProxy", proxy->path());
  StateProxy(out, proxy->path());
  if (out.no_proxy == "*") return {};
  const std::string missing = Missing(planned, out.no_proxy.value_or(""));
  if (missing.empty()) return {};
  AddWarning(
      out.findings, "no-proxy-incomplete",
      fmt::format("noProxy is what a person wrote, and the cluster will add to it: {}; nodes need these entries, "
                  "so take the settings from the cluster once it runs, or add them",
                  missing),
      proxy->At("noProxy"));
  return {};
}

Result<std::vector<TrustText>> ReadPlannedTrust(const ObjectView& object) {
  constexpr std::array<std::string_view, 3> kPolicies = {"", "Proxyonly", "Always"};
  const std::string_view policy = PROV_TRY(object.TextOr("additionalTrustBundlePolicy", ""));
  if (std::ranges::find(kPolicies, policy) == kPolicies.end()) {
    return Fail(Code::kInvalidConfig, fmt::format("the policy \"{}\" is neither Proxyonly nor Always", Shorten(policy)),
                object.At("additionalTrustBundlePolicy"));
  }
  // Nodes get the bundle whatever the policy, which only concerns pods.
  const auto text = PROV_TRY(object.Text("additionalTrustBundle"));
  if (!text) return std::vector<TrustText>();
  return std::vector<TrustText>{{object.At("additionalTrustBundle"), std::string(*text)}};
}

}  // namespace

bool IsInstallConfig(const JsonValue& object) {
  for (const std::string_view name :
       {"baseDomain", "controlPlane", "compute", "networking", "pullSecret", "additionalTrustBundle"}) {
    if (JsonMember(&object, name) != nullptr) return true;
  }
  return std::ranges::any_of(std::array<std::string_view, 3>{"httpProxy", "httpsProxy", "noProxy"},
                             [&](std::string_view name) { return JsonAt(object, {"proxy", name}) != nullptr; });
}

Result<Reading> ReadInstallConfig(const ObjectView& object) {
  Reading out;
  out.config.source = {"InstallConfig", "", ""};
  const PlannedCluster planned = PROV_TRY(ReadPlannedCluster(object, out.config));
  PROV_TRY(ReadPlannedProxy(object, planned, out.config));
  out.trust = PROV_TRY(ReadPlannedTrust(object));
  TakeMirrors(ReadInstallMirrors(object), out.config);
  ReportOtherMembers("InstallConfig", object, out.config);
  return out;
}

}  // namespace prov::source
