#include "provisioner/source/document_kinds.h"

#include <array>
#include <utility>

#include "provisioner/base/command_output.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/hosted_cluster_source.h"
#include "provisioner/source/install_config_source.h"
#include "provisioner/source/machine_config_source.h"
#include "provisioner/source/object_view.h"
#include "provisioner/source/openshift_source.h"
#include "provisioner/source/pod_environment_source.h"
#include "provisioner/source/rancher_source.h"
#include "provisioner/source/text_source.h"
#include "provisioner/source/trust_objects.h"
#include "provisioner/source/user_data_secret.h"

namespace prov::source {
namespace {

using Taken = Result<std::optional<Reading>>;

constexpr std::array<TextKind, 2> kTextKinds = {{
    {"a file of certificates", IsCertificateText, ReadCertificateText},
    {"a proxy.env", IsEnvironmentText, ReadEnvironmentText},
}};

bool IsMachineConfig(const JsonValue& object, std::string_view kind) {
  return ignition::IsMachineConfig(object, kind) || (kind.empty() && JsonMember(&object, "ignition") != nullptr);
}

bool IsClusterProxy(const JsonValue& object, std::string_view kind) {
  return kind == "Proxy" && IsOfGroup(object, "config.openshift.io");
}

// All kinds but those that the reader of MachineConfigs names itself.
std::string OtherKinds() {
  std::string out = "; also read are ";
  for (const ObjectKind& kind : ObjectKinds())
    if (!kind.words.empty()) out.append(kind.words) += ", ";
  for (const TextKind& kind : kTextKinds) out.append(kind.words) += ", ";
  return out += "a unit of systemd";
}

// Says what the API server refused, if it gave that instead of an object.
std::optional<std::string> DescribeStatus(const JsonValue& root) {
  if (JsonTextAt(root, {"kind"}) != "Status") return std::nullopt;
  return DescribeErrorMessage(JsonTextAt(root, {"message"}));
}

Taken ReadMachineConfigs(const SourceObjects& /*found*/, ParsedSource& source) {
  const JsonValue& root = source.document->root();
  const bool object = root.IsObject();
  const bool own = object && JsonMember(&root, "schema") != nullptr && JsonMember(&root, "kind") == nullptr;
  std::optional<std::string> status = DescribeStatus(root);
  auto document =
      ignition::ReadParsed(std::move(source.document), source.where, source.selection, source.limits, source.fetcher);
  if (document) return PROV_TRY(ReadMachineConfig(*std::move(document)));
  if (own && document.error().code == Code::kKind) {
    return Fail(Code::kKind,
                "is a document that provisioner wrote and not a source; give the source that it was made from, or the "
                "payload's folder",
                source.where);
  }
  if (status && document.error().code == Code::kKind) return Fail(Code::kKind, *std::move(status), source.where);
  if (object && document.error().code == Code::kKind) document.error().message += OtherKinds();
  return std::unexpected(std::move(document).error());
}

Taken ReadControllerConfigs(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.controller_configs, "ControllerConfig", source.selection.name));
  return PROV_TRY(ReadControllerConfig(chosen->object));
}

Taken ReadProxies(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.proxies, "Proxy", source.selection.name));
  return PROV_TRY(ReadProxyObject(chosen->object, PROV_TRY(ReadConfigMapHeads(found.config_maps))));
}

Taken ReadHostedClusters(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.hosted_clusters, "HostedCluster", source.selection.name));
  return PROV_TRY(ReadHostedCluster(chosen->object, PROV_TRY(ReadConfigMapHeads(found.config_maps))));
}

Taken ReadAksConfigs(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.aks_configs, "AKS cluster", source.selection.name));
  Reading out = PROV_TRY(ReadAksConfig(chosen->object));
  ReportWindowsPools(found.aks_pools, out.config);
  return out;
}

Taken ReadRancherClusters(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.rancher_clusters, "Cluster of Rancher", source.selection.name));
  return PROV_TRY(ReadRancherCluster(chosen->object));
}

Taken ReadInstallConfigs(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.install_configs, "install-config", source.selection.name));
  return PROV_TRY(ReadInstallConfig(chosen->object));
}

Taken ReadTrustConfigMaps(const SourceObjects& found, ParsedSource& source) {
  return PROV_TRY(ReadConfigMaps(PROV_TRY(ReadConfigMapHeads(found.config_maps)), source.selection.name));
}

Taken ReadTrustBundles(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.trust_bundles, "ClusterTrustBundle", source.selection.name));
  return PROV_TRY(ReadClusterTrustBundle(chosen->object));
}

Taken ReadPods(const SourceObjects& found, ParsedSource& source) {
  const auto* chosen = PROV_TRY(ChooseObject(found.pods, "Pod or Deployment", source.selection.name));
  return PROV_TRY(ReadPodEnvironment(chosen->object, chosen->kind));
}

Taken ReadUserDataSecrets(const SourceObjects& found, ParsedSource& source) {
  std::optional<UserData> user_data = PROV_TRY(ReadUserDataSecret(found.secrets, source.selection.name));
  if (!user_data) return std::nullopt;
  return PROV_TRY(ReadPointerConfig(*std::move(user_data), source.limits, source.fetcher));
}

constexpr std::array<ObjectKind, 11> kObjectKinds = {{
    {"MachineConfig", "", false, IsMachineConfig, nullptr, ReadMachineConfigs},
    {"ControllerConfig", "a ControllerConfig", true,
     [](const JsonValue&, std::string_view kind) { return kind == "ControllerConfig"; },
     &SourceObjects::controller_configs, ReadControllerConfigs},
    {"Proxy", "a Proxy with its ConfigMap", true, IsClusterProxy, &SourceObjects::proxies, ReadProxies},
    {"HostedCluster", "HyperShift's HostedCluster with its ConfigMaps", false,
     [](const JsonValue& object, std::string_view kind) {
       return kind == "HostedCluster" && IsOfGroup(object, "hypershift.openshift.io");
     },
     &SourceObjects::hosted_clusters, ReadHostedClusters},
    // `az aks show` prints a kind of its own, "Base".
    {"AKS", "AKS' httpProxyConfig", true, [](const JsonValue& object, std::string_view) { return IsAksConfig(object); },
     &SourceObjects::aks_configs, ReadAksConfigs},
    {"RancherCluster", "Rancher's Cluster", true, IsRancherCluster, &SourceObjects::rancher_clusters,
     ReadRancherClusters},
    {"InstallConfig", "an install-config", true,
     [](const JsonValue& object, std::string_view kind) {
       return kind == "InstallConfig" || (kind.empty() && IsInstallConfig(object));
     },
     &SourceObjects::install_configs, ReadInstallConfigs},
    {"ConfigMap", "", false, [](const JsonValue&, std::string_view kind) { return kind == "ConfigMap"; },
     &SourceObjects::config_maps, ReadTrustConfigMaps},
    {"ClusterTrustBundle", "a ClusterTrustBundle", false,
     [](const JsonValue& object, std::string_view kind) {
       return kind == "ClusterTrustBundle" && IsOfGroup(object, "certificates.k8s.io");
     },
     &SourceObjects::trust_bundles, ReadTrustBundles},
    {"PodTemplate", "a pod or what makes pods", false,
     [](const JsonValue&, std::string_view kind) { return IsPodKind(kind); }, &SourceObjects::pods, ReadPods},
    {"Ignition", "", false, [](const JsonValue&, std::string_view kind) { return kind == "Secret"; },
     &SourceObjects::secrets, ReadUserDataSecrets},
}};

constexpr std::array<OtherKind, 4> kOtherKinds = {{
    {"Image", "config.openshift.io", Subject::kTrust, "CAs of image registries (additionalTrustedCA)"},
    {"ClusterTrustBundle", "certificates.k8s.io", Subject::kTrust, "CAs that pods mount"},
    {"HostedCluster", "hypershift.openshift.io", Subject::kProxy, "the proxy and the CAs of a hosted cluster"},
    {"Bundle", "trust.cert-manager.io", Subject::kTrust, "CAs that trust-manager gives to pods"},
}};

}  // namespace

std::span<const TextKind> TextKinds() { return kTextKinds; }

std::span<const ObjectKind> ObjectKinds() { return kObjectKinds; }

const OtherKind* OtherKindOf(const JsonValue& object, std::string_view kind) {
  for (const OtherKind& one : kOtherKinds)
    if (one.kind == kind && IsOfGroup(object, one.group)) return &one;
  return nullptr;
}

}  // namespace prov::source
