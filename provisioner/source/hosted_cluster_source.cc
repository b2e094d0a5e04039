#include "provisioner/source/hosted_cluster_source.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/source/mirror_objects.h"
#include "provisioner/source/source_members.h"

namespace prov::source {
namespace {

Result<void> ReadHostedProxy(const ObjectView& spec, egress::EgressConfig& out) {
  const auto configuration = PROV_TRY(spec.Object("configuration"));
  if (!configuration || !configuration->Has("proxy")) {
    AddWarning(out.findings, "no-proxy-file",
               "the HostedCluster has no spec.configuration.proxy: it makes no statement about the proxy, so proxy "
               "settings stay as they are; an empty one, {}, would state that there is none",
               configuration ? configuration->At("proxy") : spec.At("configuration"));
    return {};
  }
  const auto proxy = PROV_TRY(configuration->Object("proxy"));
  if (proxy) PROV_TRY(ReadProxyMembers(*proxy, out));
  StateProxy(out, configuration->At("proxy"));
  if ((!out.http_proxy && !out.https_proxy) || out.no_proxy == "*") return {};
  AddWarning(out.findings, "no-proxy-incomplete",
             "noProxy is what a person wrote: HyperShift adds localhost, 127.0.0.1, .local, .svc, .cluster.local, the "
             "cluster's networks and what its platform needs; take the settings from the hosted cluster itself "
             "(kube:///proxy) or from the Secret with the user data of a NodePool",
             proxy->At("noProxy"));
  return {};
}

// The names of the ConfigMaps with certificates, each with its place.
Result<std::vector<std::pair<std::string_view, std::string>>> NamedMaps(const ObjectView& spec) {
  std::vector<std::pair<std::string_view, std::string>> out;
  const auto add = [&](const std::optional<ObjectView>& reference) -> Result<void> {
    const std::string_view name = reference ? PROV_TRY(reference->TextOr("name", "")) : "";
    if (!name.empty() && (out.empty() || out.front().first != name)) out.emplace_back(name, reference->At("name"));
    return {};
  };
  PROV_TRY(add(PROV_TRY(spec.Object("additionalTrustBundle"))));
  const auto configuration = PROV_TRY(spec.Object("configuration"));
  const auto proxy = configuration ? PROV_TRY(configuration->Object("proxy")) : std::nullopt;
  if (proxy) PROV_TRY(add(PROV_TRY(proxy->Object("trustedCA"))));
  return out;
}

Result<std::vector<TrustText>> ReadHostedTrust(const ObjectView& object, const ObjectView& spec,
                                               std::span<const ConfigMap> maps, egress::EgressConfig& out) {
  const auto metadata = PROV_TRY(object.Object("metadata"));
  const std::string_view name_space = metadata ? PROV_TRY(metadata->TextOr("namespace", "")) : "";
  std::vector<TrustText> found;
  bool complete = true;
  for (const auto& [name, where] : PROV_TRY(NamedMaps(spec))) {
    if (const ConfigMap* map = PROV_TRY(FindMap(maps, name, name_space))) {
      found.push_back(PROV_TRY(BundleOf(*map)));
      continue;
    }
    complete = false;
    AddWarning(out.findings, "no-trust-config-map",
               fmt::format("the ConfigMap \"{}\" is not in the file, so nothing is known about certificates and they "
                           "stay as they are; put the HostedCluster and this ConfigMap of its namespace into one file, "
                           "with a line --- between them",
                           Shorten(name)),
               where);
  }
  if (!complete) found.clear();
  return found;
}

}  // namespace

Result<Reading> ReadHostedCluster(const ObjectView& object, std::span<const ConfigMap> maps) {
  Reading out;
  out.config.source = {"HostedCluster", std::string(PROV_TRY(ObjectName(object))), ""};
  const auto spec = PROV_TRY(object.Object("spec"));
  if (!spec) return Fail(Code::kInvalidConfig, "the HostedCluster has no spec", object.At("spec"));
  PROV_TRY(ReadHostedProxy(*spec, out.config));
  out.trust = PROV_TRY(ReadHostedTrust(object, *spec, maps, out.config));
  TakeMirrors(ReadInstallMirrors(*spec), out.config);
  ReportOtherMembers("HostedCluster", object, out.config);
  return out;
}

}  // namespace prov::source
