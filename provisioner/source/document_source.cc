#include "provisioner/source/document_source.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ignition/json.h"
#include "provisioner/base/text.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/install_config_source.h"
#include "provisioner/source/machine_config_source.h"
#include "provisioner/source/openshift_source.h"
#include "provisioner/source/pod_environment_source.h"
#include "provisioner/source/source_objects.h"
#include "provisioner/source/text_source.h"

namespace prov::source {
namespace {

constexpr std::string_view kOtherKinds =
    "; also read are a ControllerConfig, a Proxy with its ConfigMap, an install-config, AKS' httpProxyConfig, a pod or "
    "what makes pods, a proxy.env, a file of certificates";

// The reader for what is there, in this order: the surest statement about nodes first. nullopt: none of them is.
Result<std::optional<Reading>> ReadObjects(const SourceObjects& found, std::string_view name) {
  if (!found.controller_configs.empty())
    return PROV_TRY(ReadControllerConfig(*PROV_TRY(ChooseObject(found.controller_configs, "ControllerConfig", name))));
  if (!found.proxies.empty()) {
    return PROV_TRY(ReadProxyObject(*PROV_TRY(ChooseObject(found.proxies, "Proxy", name)), found.config_maps));
  }
  if (!found.aks_configs.empty())
    return PROV_TRY(ReadAksConfig(*PROV_TRY(ChooseObject(found.aks_configs, "AKS cluster", name))));
  if (!found.install_configs.empty())
    return PROV_TRY(ReadInstallConfig(*PROV_TRY(ChooseObject(found.install_configs, "install-config", name))));
  if (!found.config_maps.empty()) return PROV_TRY(ReadConfigMaps(found.config_maps, name));
  if (found.pods.empty()) return std::nullopt;
  std::vector<ObjectView> pods;
  pods.reserve(found.pods.size());
  for (const PodObject& pod : found.pods) pods.push_back(pod.object);
  const ObjectView* chosen = PROV_TRY(ChooseObject(pods, "Pod or Deployment", name));
  return PROV_TRY(ReadPodEnvironment(*chosen, found.pods[static_cast<std::size_t>(chosen - pods.data())].kind));
}

// What the file holds besides what was taken.
void ReportOthers(const SourceObjects& found, const std::string& where, egress::EgressConfig& config) {
  const std::string& kind = config.source.kind;
  const auto report = [&](bool there, std::string_view what) {
    if (!there || kind == what) return;
    AddInfo(config.findings, "other-objects",
            fmt::format("a {} is there, too, and was passed over: the {} says what nodes get", what, kind), where);
  };
  report(!found.controller_configs.empty(), "ControllerConfig");
  report(!found.proxies.empty(), "Proxy");
  report(!found.aks_configs.empty(), "AKS");
  report(!found.install_configs.empty(), "InstallConfig");
}

// nullopt: what the reader of MachineConfigs is there for, or nothing that is known.
Result<std::optional<Reading>> ReadKnown(const ignition::JsonDocument& document, const std::string& where,
                                         const std::string& name) {
  const SourceObjects found = PROV_TRY(FindObjects(document));
  if (found.machine_config) return std::nullopt;
  auto reading = PROV_TRY(ReadObjects(found, name));
  if (reading) ReportOthers(found, where, reading->config);
  return reading;
}

}  // namespace

Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, const ignition::Limits& limits,
                                          ignition::Fetcher* fetcher) {
  if (!ignition::BeginsAsJson(bytes)) {  // no other text begins like that
    // Before it is decoded: the reader of bundles takes more encodings, and the digest is that of the file.
    if (IsCertificateText(bytes)) return Finish(ReadCertificateText(std::move(bytes), where));
    DecodeMarked(bytes);  // what is damaged is refused by the parser
    if (IsEnvironmentText(bytes)) return Finish(PROV_TRY(ReadEnvironmentText(bytes, where)));
  }
  auto parsed = ignition::ParseJsonOrYaml(std::move(bytes), limits, ignition::Documents::kSeveral);
  if (!parsed) {
    Error error = std::move(parsed).error();
    if (error.where.empty()) error.where = where;
    return std::unexpected(std::move(error));
  }
  if (auto reading = PROV_TRY(ReadKnown(**parsed, where, selection.name))) {
    parsed->reset();  // before the certificates are read: both together would be the most that is ever held
    return Finish(*std::move(reading));
  }
  const bool object = (*parsed)->root().IsObject();
  auto out = ReadMachineConfig(*std::move(parsed), where, selection, limits, fetcher);
  if (!out && object && out.error().code == Code::kKind) out.error().message += kOtherKinds;
  return out;
}

}  // namespace prov::source
