#include "provisioner/source/install_config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ignition/shorten.h"
#include "provisioner/base/text.h"

namespace prov::source {
namespace {

using egress::EgressConfig;

constexpr std::string_view kMetadataAddress = "169.254.169.254";
constexpr std::size_t kMostNamed = 40;

// What the file tells of the cluster to be.
struct Plan {
  std::vector<std::string> entries;   // of NO_PROXY that the cluster adds, and the file tells
  std::vector<std::string> not_told;  // what it adds, too, and the file doesn't tell: words
};

// Networks as objects with a cidr, or as texts; the file may have neither, then the installer takes defaults.
Result<void> AddNetworks(const std::optional<ObjectView>& networking, std::string_view name, std::string_view what,
                         Plan& plan) {
  const std::size_t before = plan.entries.size();
  if (networking) {
    for (const ObjectView& network : PROV_TRY(networking->Objects(name))) {
      const std::string_view cidr = PROV_TRY(network.TextOr("cidr", ""));
      if (!cidr.empty() && cidr != "0.0.0.0/0") plan.entries.emplace_back(cidr);
    }
  }
  if (plan.entries.size() == before) plan.not_told.emplace_back(what);
  return {};
}

Result<void> AddPlatform(const ObjectView& object, EgressConfig& out, Plan& plan) {
  const auto platform = PROV_TRY(object.Object("platform"));
  if (!platform) {
    plan.not_told.emplace_back("what the platform needs");
    return {};
  }
  for (const std::string_view name : {"aws", "gcp", "azure", "openstack"}) {
    if (!platform->Has(name)) continue;
    out.facts.metadata_address = kMetadataAddress;
    plan.entries.emplace_back(kMetadataAddress);
  }
  if (const auto aws = PROV_TRY(platform->Object("aws"))) {
    const std::string_view region = PROV_TRY(aws->TextOr("region", ""));
    if (!region.empty())
      plan.entries.push_back(region == "us-east-1" ? ".ec2.internal" : fmt::format(".{}.compute.internal", region));
  }
  if (platform->Has("gcp"))
    for (const char* name : {"metadata", "metadata.google.internal", "metadata.google.internal."})
      plan.entries.emplace_back(name);
  return {};
}

Result<void> AddApiServer(const ObjectView& object, EgressConfig& out, Plan& plan) {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  const std::string_view name = metadata ? PROV_TRY(metadata->TextOr("name", "")) : "";
  const std::string_view domain = PROV_TRY(object.TextOr("baseDomain", ""));
  out.source.name = name;
  if (name.empty() || domain.empty()) {
    plan.not_told.emplace_back("the internal API server (api-int)");
    return {};
  }
  out.facts.api_host = fmt::format("api-int.{}.{}", name, domain);
  plan.entries.push_back(out.facts.api_host);
  return {};
}

// What the cluster's operator will add to noProxy.
Result<Plan> ReadPlan(const ObjectView& object, EgressConfig& out) {
  Plan plan{{"127.0.0.1", "localhost", ".svc", ".cluster.local"}, {}};
  const auto networking = PROV_TRY(object.Object("networking"));
  const std::string_view machines = networking ? PROV_TRY(networking->TextOr("machineCIDR", "")) : "";
  if (!machines.empty()) {
    plan.entries.emplace_back(machines);
  } else {
    PROV_TRY(AddNetworks(networking, "machineNetwork", "the machine network", plan));
  }
  PROV_TRY(AddNetworks(networking, "clusterNetwork", "the cluster network", plan));
  const auto services = networking ? PROV_TRY(networking->Texts("serviceNetwork")) : std::nullopt;
  if (!services || services->empty()) plan.not_told.emplace_back("the service network");
  for (const std::string_view range : services.value_or(std::vector<std::string_view>())) {
    plan.entries.emplace_back(range);
    out.facts.service_ranges.emplace_back(range);
  }
  PROV_TRY(AddApiServer(object, out, plan));
  PROV_TRY(AddPlatform(object, out, plan));
  return plan;
}

// The words of a finding: entries first, then what isn't told.
std::string Missing(const Plan& plan, std::string_view no_proxy) {
  std::set<std::string_view> present;
  for (const std::string_view entry : Split(no_proxy, ',')) present.insert(TrimBlanks(entry));
  std::string out;
  std::size_t named = 0;
  const auto add = [&](std::string_view text) {
    if (++named <= kMostNamed) out += fmt::format("{}{}", out.empty() ? "" : ", ", ignition::Shorten(text));
  };
  for (const std::string& entry : plan.entries) {
    if (present.insert(entry).second) add(entry);
  }
  for (const std::string& words : plan.not_told) add(words);
  if (named > kMostNamed) out += fmt::format(" and {} more", named - kMostNamed);
  return out;
}

Result<void> ReadProxy(const ObjectView& object, const Plan& plan, EgressConfig& out) {
  const auto proxy = PROV_TRY(object.Object("proxy"));
  if (!proxy) {
    AddWarning(out.findings, "no-proxy-file",
               "the install-config has no proxy: it makes no statement about it, so proxy settings stay as they are",
               object.At("proxy"));
    return {};
  }
  PROV_TRY(TakeProxyMembers(*proxy, out));
  if (!out.http_proxy && !out.https_proxy)
    return Fail(Code::kInvalidConfig, "must include httpProxy or httpsProxy", proxy->path());
  StateProxy(out, proxy->path());
  if (out.no_proxy == "*") return {};
  const std::string missing = Missing(plan, out.no_proxy.value_or(""));
  if (missing.empty()) return {};
  AddWarning(
      out.findings, "no-proxy-incomplete",
      fmt::format("noProxy is what a person wrote, and the cluster will add to it: {}; nodes need these entries, "
                  "so take the settings from the cluster once it runs, or add them",
                  missing),
      proxy->At("noProxy"));
  return {};
}

Result<std::optional<TrustText>> ReadTrust(const ObjectView& object) {
  constexpr std::array<std::string_view, 3> kPolicies = {"", "Proxyonly", "Always"};
  const std::string_view policy = PROV_TRY(object.TextOr("additionalTrustBundlePolicy", ""));
  if (std::ranges::find(kPolicies, policy) == kPolicies.end()) {
    return Fail(Code::kInvalidConfig,
                fmt::format("the policy \"{}\" is neither Proxyonly nor Always", ignition::Shorten(policy)),
                object.At("additionalTrustBundlePolicy"));
  }
  // Whatever the policy, nodes get the bundle: it only decides about pods.
  const auto text = PROV_TRY(object.Text("additionalTrustBundle"));
  if (!text) return std::nullopt;
  return TrustText{object.At("additionalTrustBundle"), std::string(*text)};
}

}  // namespace

bool IsInstallConfig(const ignition::JsonValue& object) {
  for (const std::string_view name :
       {"baseDomain", "controlPlane", "compute", "networking", "pullSecret", "additionalTrustBundle"}) {
    if (ignition::Member(&object, name) != nullptr) return true;
  }
  const ignition::JsonValue* proxy = ignition::Member(&object, "proxy");
  if (proxy == nullptr || !proxy->IsObject()) return false;
  return std::ranges::any_of(std::array<std::string_view, 3>{"httpProxy", "httpsProxy", "noProxy"},
                             [&](std::string_view name) { return ignition::Member(proxy, name) != nullptr; });
}

Result<Reading> ReadInstallConfig(const ObjectView& object) {
  Reading out;
  out.config.source = {"InstallConfig", "", ""};
  const Plan plan = PROV_TRY(ReadPlan(object, out.config));
  PROV_TRY(ReadProxy(object, plan, out.config));
  out.trust = PROV_TRY(ReadTrust(object));
  return out;
}

}  // namespace prov::source
