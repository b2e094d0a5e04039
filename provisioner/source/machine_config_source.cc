#include "provisioner/source/machine_config_source.h"

#include <fmt/format.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/source/legacy_environment.h"

namespace prov::source {
namespace {

constexpr std::string_view kApiServerUrlPath = "/etc/kubernetes/apiserver-url.env";

using egress::EgressConfig;

egress::SourceFile Describe(std::string path, std::string_view bytes, unsigned mode) {
  return {std::move(path), true, ToHex(Sha256(bytes)), bytes.size(), mode};
}

void TakeVariables(EgressConfig& out, const std::vector<egress::Assignment>& assignments) {
  for (const egress::Assignment& a : assignments) {
    if (a.name == "HTTP_PROXY") out.http_proxy = a.value;
    if (a.name == "HTTPS_PROXY") out.https_proxy = a.value;
    if (a.name == "NO_PROXY") out.no_proxy = a.value.Reveal();
  }
}

Result<void> ReadProxy(const ignition::Config& config, EgressConfig& out) {
  out.proxy_file.path = kProxyEnvPath;
  if (const auto file = PROV_TRY(config.Read(kProxyEnvPath))) {
    out.proxy_file = Describe(std::string(kProxyEnvPath), file->bytes, file->mode);
    TakeVariables(out, PROV_TRY(egress::ParseEnvironmentFile(file->bytes, kProxyEnvPath, out.findings)));
    return {};
  }
  if (const auto legacy = PROV_TRY(ReadLegacyEnvironment(config, out.findings))) {
    out.proxy_file = Describe(legacy->path, legacy->bytes, legacy->mode);
    TakeVariables(out, legacy->assignments);
    AddInfo(out.findings, "legacy-environment", "taken from Environment= lines, as releases before 4.7 have them",
            legacy->path);
    return {};
  }
  AddWarning(out.findings, "no-proxy-file",
             "the config has no proxy.env and none of its older forms: it makes no statement about the proxy, so proxy "
             "settings stay as they are",
             std::string(kProxyEnvPath));
  return {};
}

Result<void> ReadTrust(const std::optional<ignition::FileContents>& file, EgressConfig& out) {
  out.trust_file.path = kTrustBundlePath;
  if (!file) {
    AddWarning(out.findings, "no-trust-file",
               "the config has no trust bundle: it makes no statement about certificates, so they stay as they are",
               std::string(kTrustBundlePath));
    return {};
  }
  out.trust_file = Describe(std::string(kTrustBundlePath), file->bytes, file->mode);
  out.certificates = PROV_TRY(pki::ParseTrustBundle(file->bytes, kTrustBundlePath, out.findings));
  return {};
}

// Where kubelets reach the API server. Only for the review of NO_PROXY, so whatever is wrong with this file is not our
// business.
void ReadFacts(const ignition::Config& config, EgressConfig& out) {
  const auto file = config.Read(kApiServerUrlPath);
  if (!file || !*file) return;
  Findings ignored;
  const auto assignments = egress::ParseEnvironmentFile((*file)->bytes, kApiServerUrlPath, ignored);
  if (!assignments) return;
  for (const egress::Assignment& a : *assignments) {
    if (a.name == "KUBERNETES_SERVICE_HOST") out.facts.api_host = a.value.Reveal();
  }
}

Result<EgressConfig> Read(Result<ignition::Document> read) {
  EgressConfig out;
  std::optional<ignition::FileContents> bundle;
  {
    // The document goes before the certificates are read: both together would be the most that this program ever holds.
    const ignition::Document document = PROV_TRY(std::move(read));
    out.source = {document.kind, document.name, document.config.version()};
    out.findings = document.findings;
    PROV_TRY(ReadProxy(document.config, out));
    bundle = PROV_TRY(document.config.Read(kTrustBundlePath));
    ReadFacts(document.config, out);
  }
  PROV_TRY(ReadTrust(bundle, out));
  return out;
}

}  // namespace

Result<EgressConfig> ReadMachineConfig(std::string bytes, const std::string& where,
                                       const ignition::Selection& selection, const ignition::Limits& limits,
                                       ignition::Fetcher* fetcher) {
  return Read(ignition::ReadDocument(std::move(bytes), where, selection, limits, fetcher));
}

Result<EgressConfig> ReadMachineConfig(std::unique_ptr<ignition::JsonDocument> parsed, const std::string& where,
                                       const ignition::Selection& selection, const ignition::Limits& limits,
                                       ignition::Fetcher* fetcher) {
  return Read(ignition::ReadParsed(std::move(parsed), where, selection, limits, fetcher));
}

}  // namespace prov::source
