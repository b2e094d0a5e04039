#include "provisioner/source/openshift_source.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/source/mirror_objects.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

using egress::EgressConfig;

Result<void> ReadControllerProxy(const ObjectView& spec, EgressConfig& out) {
  const auto proxy = PROV_TRY(spec.Object("proxy"));
  if (!proxy && !spec.IsNull("proxy")) {
    AddWarning(out.findings, "no-proxy-file",
               "the ControllerConfig has no spec.proxy, not even null: it makes no statement about the proxy, so proxy "
               "settings stay as they are",
               spec.At("proxy"));
    return {};
  }
  if (proxy) PROV_TRY(ReadProxyMembers(*proxy, out));
  StateProxy(out, spec.At("proxy"));
  return {};
}

// The CAs of image registries. On Linux each counts for its registry; the Windows operator brings them into the store
// of the whole machine.
Result<void> AddRegistryBundles(const ObjectView& spec, std::string_view list, EgressConfig& config,
                                std::vector<TrustText>& out) {
  for (const ObjectView& bundle : PROV_TRY(spec.Objects(list))) {
    const std::string_view file = PROV_TRY(bundle.TextOr("file", ""));
    const std::string where = fmt::format("{} ({})", bundle.At("data"), Shorten(file));
    out.push_back({where, PROV_TRY(DecodeTrustBase64(PROV_TRY(bundle.TextOr("data", "")), "", where))});
    if (!file.empty() && !out.back().bytes.empty())
      TakeRegistryCa(RegistryOfKey(file), out.back().bytes, where, config);
  }
  return {};
}

Result<std::vector<TrustText>> ReadControllerTrust(const ObjectView& spec, EgressConfig& config) {
  constexpr std::string_view kBundle = "additionalTrustBundle";
  std::vector<TrustText> out;
  const auto text = PROV_TRY(spec.Text(kBundle));
  if (text) {
    out.push_back({spec.At(kBundle), PROV_TRY(DecodeTrustBase64(*text, "", spec.At(kBundle)))});
  } else if (spec.IsNull(kBundle)) {
    out.push_back({spec.At(kBundle), ""});
  } else {
    config.not_read.trust = true;  // each ControllerConfig of a cluster has it
  }
  const std::size_t others = out.size();
  config.mirrors.states_no_cas = true;  // the lists are absent where there are none
  for (const std::string_view list : {"imageRegistryBundleUserData", "imageRegistryBundleData"})
    PROV_TRY(AddRegistryBundles(spec, list, config, out));
  if (out.size() > others) {
    config.mirrors.states_no_cas = config.mirrors.cas.empty();
    AddInfo(config.findings, "registry-trust",
            "CAs of image registries are read: Windows has no trust for one registry, so the whole node trusts them, "
            "as the "
            "Windows Machine Config Operator has it",
            spec.path());
  }
  return out;
}

}  // namespace

Result<Reading> ReadControllerConfig(const ObjectView& object) {
  Reading out;
  out.config.source = {"ControllerConfig", std::string(PROV_TRY(ObjectName(object))), ""};
  const auto spec = PROV_TRY(object.Object("spec"));
  if (!spec) return Fail(Code::kNoConfig, "the ControllerConfig has no spec", object.At("spec"));
  PROV_TRY(ReadControllerProxy(*spec, out.config));
  out.trust = PROV_TRY(ReadControllerTrust(*spec, out.config));
  ReportOtherMembers("ControllerConfig", object, out.config);
  return out;
}

namespace {

bool HasValues(const EgressConfig& config) { return config.http_proxy || config.https_proxy || config.no_proxy; }

Result<EgressConfig> ValuesOf(const std::optional<ObjectView>& object) {
  EgressConfig out;
  if (object) PROV_TRY(ReadProxyMembers(*object, out));
  return out;
}

void MoveValues(EgressConfig from, EgressConfig& to) {
  to.http_proxy = std::move(from.http_proxy);
  to.https_proxy = std::move(from.https_proxy);
  to.no_proxy = std::move(from.no_proxy);
}

void ReportSpec(const EgressConfig& values, const ObjectView& spec, Findings& findings) {
  AddWarning(findings, "proxy-not-accepted",
             "the status is empty, so the cluster has not accepted this spec (or this is a manifest that was in no "
             "cluster yet); the spec was taken",
             spec.path());
  if (values.no_proxy == "*") return;
  AddWarning(findings, "no-proxy-incomplete",
             "the spec's noProxy is what a person wrote: the cluster adds localhost, 127.0.0.1, .svc, .cluster.local, "
             "its networks, its internal API server and what its platform needs; take the object from the cluster",
             spec.At("noProxy"));
}

Result<void> ReadValues(const ObjectView& proxy, const std::optional<ObjectView>& spec, EgressConfig& out) {
  const auto status = PROV_TRY(proxy.Object("status"));
  if (!spec && !status) return Fail(Code::kInvalidConfig, "the Proxy has neither spec nor status", proxy.path());
  EgressConfig published = PROV_TRY(ValuesOf(status));
  EgressConfig wanted = PROV_TRY(ValuesOf(spec));
  if (HasValues(published) || !HasValues(wanted)) {
    const bool differs = published.http_proxy != wanted.http_proxy || published.https_proxy != wanted.https_proxy;
    if (spec && differs) {
      AddWarning(out.findings, "proxy-status-differs",
                 "the status has other proxies than the spec: the cluster has not accepted the spec (see oc get "
                 "clusteroperator network); the status was taken, as it is what the nodes have",
                 status->path());
    }
    MoveValues(std::move(published), out);
    StateProxy(out, status ? status->path() : spec->path());
    return {};
  }
  ReportSpec(wanted, *spec, out.findings);
  MoveValues(std::move(wanted), out);
  StateProxy(out, spec->path());
  return {};
}

const ConfigMap* FindMerged(std::span<const ConfigMap> maps) {
  for (const ConfigMap& map : maps) {
    if (map.merged && HasBundle(map)) return &map;
  }
  return nullptr;
}

// The certificates of both maps, joined as the machine-config operator does it.
Result<TrustText> Joined(const ConfigMap* user, const ConfigMap* named) {
  TrustText out = PROV_TRY(BundleOf(user != nullptr ? *user : *named));
  if (user == nullptr || named == nullptr || user == named) return out;
  const TrustText more = PROV_TRY(BundleOf(*named));
  out.where += " and " + more.where;
  out.bytes += "\n" + more.bytes;
  out.system_roots = out.system_roots || more.system_roots;
  return out;
}

Result<std::optional<TrustText>> ReadClusterTrust(const std::optional<ObjectView>& spec,
                                                  std::span<const ConfigMap> maps, EgressConfig& out) {
  const auto trusted = spec ? PROV_TRY(spec->Object("trustedCA")) : std::nullopt;
  const std::string_view name = trusted ? PROV_TRY(trusted->TextOr("name", "")) : "";
  const std::string_view name_space = name == kMergedBundle ? kManagedNamespace : kConfigNamespace;
  const ConfigMap* user = PROV_TRY(FindMap(maps, kUserBundle, kConfigNamespace));
  const ConfigMap* named = name.empty() || name == kUserBundle ? user : PROV_TRY(FindMap(maps, name, name_space));
  const bool complete = name.empty() ? user != nullptr : named != nullptr;
  if (complete) {
    if (user == nullptr) {
      AddWarning(
          out.findings, "no-user-ca-bundle",
          fmt::format("nodes also get {}/{} where there is one; it is not in the file", kConfigNamespace, kUserBundle),
          trusted->At("name"));
    }
    return PROV_TRY(Joined(user, named));
  }
  if (const ConfigMap* merged = FindMerged(maps)) return PROV_TRY(BundleOf(*merged));
  if (!name.empty()) {
    AddWarning(
        out.findings, "no-trust-config-map",
        fmt::format("the ConfigMap \"{}\" is not in the file, so nothing is known about certificates and they "
                    "stay as they are; put the Proxy, this ConfigMap{} into one file, e.g. with oc get "
                    "proxy/cluster and oc get -n {} configmap {} and lines --- between them",
                    Shorten(name),
                    name == kUserBundle ? std::string() : fmt::format(" and {}, where there is one,", kUserBundle),
                    name_space, Shorten(name)),
        trusted->At("name"));
  }
  return std::nullopt;
}

}  // namespace

Result<Reading> ReadProxyObject(const ObjectView& proxy, std::span<const ConfigMap> maps) {
  Reading out;
  out.config.source = {"Proxy", std::string(PROV_TRY(ObjectName(proxy))), ""};
  const auto spec = PROV_TRY(proxy.Object("spec"));
  PROV_TRY(ReadValues(proxy, spec, out.config));
  if (auto trust = PROV_TRY(ReadClusterTrust(spec, maps, out.config))) out.trust.push_back(*std::move(trust));
  ReportOtherMembers("Proxy", proxy, out.config);
  return out;
}

}  // namespace prov::source
