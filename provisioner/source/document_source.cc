#include "provisioner/source/document_source.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ignition/yaml.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/source/aks_config_source.h"
#include "provisioner/source/install_config_source.h"
#include "provisioner/source/machine_config_source.h"
#include "provisioner/source/openshift_source.h"
#include "provisioner/source/pod_environment_source.h"
#include "provisioner/source/source_objects.h"
#include "provisioner/source/text_source.h"
#include "provisioner/source/user_data_secret.h"

namespace prov::source {
namespace {

constexpr std::string_view kOtherKinds =
    "; also read are a ControllerConfig, a Proxy with its ConfigMap, an install-config, AKS' httpProxyConfig, a pod or "
    "what makes pods, a proxy.env, a file of certificates";

// Reads the objects of the first kind that is present; the kinds with the most certain statement about nodes come
// first. nullopt: none is present.
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

// Reports the other objects that the file holds.
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

// The result of the readers other than that of MachineConfigs. Both empty: that reader is to be used, or nothing is
// known.
struct Known {
  std::optional<Reading> reading;
  std::optional<UserData> user_data;
};

Result<Known> ReadKnown(const JsonDocument& document, const std::string& where, const std::string& name) {
  Known out;
  const SourceObjects found = PROV_TRY(FindObjects(document));
  if (found.machine_config) return out;
  out.reading = PROV_TRY(ReadObjects(found, name));
  if (out.reading) {
    ReportOthers(found, where, out.reading->config);
  } else {
    out.user_data = PROV_TRY(ReadUserDataSecret(found.secrets, name));
  }
  return out;
}

// Reads user data, usually a pointer config, and what it refers to.
Result<egress::EgressConfig> ReadUserData(UserData user_data, const ignition::Limits& limits,
                                          ignition::Fetcher* fetcher) {
  auto out = ReadMachineConfig(ignition::ReadConfig(std::move(user_data.config), user_data.path, {}, limits, fetcher));
  if (out) return out;
  Error error = std::move(out).error();
  // Only a place within the config needs the prefix, not an address on the network.
  if (error.where.starts_with('$') || error.where.starts_with("line ")) {
    if (error.where != user_data.path) error.where = fmt::format("{}: {}", user_data.path, error.where);
  }
  return std::unexpected(std::move(error));
}

Result<egress::EgressConfig> ReadByContent(std::string bytes, const std::string& where,
                                           const ignition::Selection& selection, const ignition::Limits& limits,
                                           ignition::Fetcher* fetcher) {
  if (!ignition::BeginsAsJson(bytes)) {  // no other format begins like JSON
    // Test before decoding: the reader of bundles accepts more encodings, and the digest must be that of the file.
    if (IsCertificateText(bytes)) return Finish(ReadCertificateText(std::move(bytes), where));
    DecodeMarked(bytes);  // the parser refuses malformed text
    if (IsEnvironmentText(bytes)) return Finish(PROV_TRY(ReadEnvironmentText(bytes, where)));
  }
  auto parsed = ignition::ParseJsonOrYaml(std::move(bytes), limits, ignition::Documents::kSeveral);
  if (!parsed) return std::unexpected(std::move(parsed).error());
  Known known = PROV_TRY(ReadKnown(**parsed, where, selection.name));
  if (known.user_data) return ReadUserData(*std::move(known.user_data), limits, fetcher);
  if (known.reading) {
    parsed->reset();  // freed first, so that document and certificates are never in memory together
    return Finish(*std::move(known.reading));
  }
  const bool object = (*parsed)->root().IsObject();
  auto out = ReadMachineConfig(ignition::ReadParsed(*std::move(parsed), where, selection, limits, fetcher));
  if (!out && object && out.error().code == Code::kKind) out.error().message += kOtherKinds;
  return out;
}

// Adds the document's name to an error whose place is in the document. An address belongs to another document.
Error OfDocument(Error error, const std::string& document) {
  if (error.where.empty()) {
    error.where = document;
  } else if (error.file.empty() && error.where != document && error.where.find("://") == std::string::npos) {
    error.file = document;
  }
  return error;
}

}  // namespace

Result<egress::EgressConfig> ReadDocument(std::string bytes, const std::string& where,
                                          const ignition::Selection& selection, ignition::Fetcher* fetcher,
                                          const ignition::Limits& limits) {
  auto out = ReadByContent(std::move(bytes), where, selection, limits, fetcher);
  if (!out) return std::unexpected(OfDocument(std::move(out).error(), where));
  return out;
}

}  // namespace prov::source
