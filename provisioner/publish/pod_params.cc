#include "provisioner/publish/pod_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/egress/usable_proxies.h"

namespace prov::publish {
namespace {

// No text of the data holds a NUL, so two sets of data never give the same text.
void Append(std::string& text, std::string_view part) {
  text += part;
  text += '\0';
}

// A value without what must stay secret.
std::string PublicPart(std::string_view key, const std::string& value) {
  if (std::ranges::find(egress::kProxyVariables, key) == egress::kProxyVariables.end()) return value;
  return key == "NO_PROXY" ? egress::RedactNoProxy(value) : egress::RedactUrl(value);
}

// Each pod shows the digest to whoever may read pods or their metrics. So a password is in it only by a slow digest.
std::string DigestOf(const PodParams& params, const std::set<std::string_view>& certificates) {
  std::string text;
  std::string secrets;
  for (const auto& [key, value] : params) {
    const std::string shown = PublicPart(key, value);
    Append(text, key);
    Append(text, shown);
    if (shown != value) Append(secrets, value);
  }
  for (const std::string_view certificate : certificates) Append(text, certificate);
  if (!secrets.empty()) Append(text, egress::SlowDigest(secrets, ToHex(Sha256(text))));
  return ToHex(Sha256(text));
}

}  // namespace

ProxyValues ProxyValuesOf(const egress::EgressConfig& config) {
  return {config.http_proxy.value_or(Secret()), config.https_proxy.value_or(Secret()), config.no_proxy.value_or("")};
}

PodParams MakePodParams(const egress::EgressConfig& config, const std::optional<PodTrust>& trust) {
  PodParams out;
  const ProxyValues values = ProxyValuesOf(config);  // its views are used below
  for (const auto& [name, value] : values.Variables()) {
    if (!value.empty()) out.emplace(name, WithoutReferences(value));
  }
  std::set<std::string_view> certificates;  // neither their order nor a repetition is a change
  if (trust) {
    out.emplace(kTrustConfigMap, trust->config_map);
    out.emplace(kTrustKey, trust->key);
    for (const pki::Certificate& certificate : config.certificates) certificates.insert(certificate.sha256);
  }
  out.emplace(kPodParamsDigest, DigestOf(out, certificates));
  return out;
}

Result<std::optional<PodTrust>> PodTrustOf(const PodParams& params, const std::string& where) {
  const auto map = params.find(kTrustConfigMap);
  if (map == params.end()) return std::nullopt;
  const auto key = params.find(kTrustKey);
  auto trust = ParsePodTrust("configmap/" + map->second + (key == params.end() ? "" : ":" + key->second), where);
  if (trust) return *std::move(trust);
  return Fail(Code::kInvalidConfig,
              fmt::format("its {} and {} are not the name and the key of a ConfigMap", kTrustConfigMap, kTrustKey),
              where);
}

void ReviewPodParams(const PodParams& params, const std::string& where, Findings& findings) {
  const bool shown =
      std::ranges::any_of(params, [](const auto& one) { return PublicPart(one.first, one.second) != one.second; });
  if (!shown) return;
  AddWarning(findings, "pod-policy-secret",
             "the proxy's password is in the ConfigMap, and in the spec of each pod that is created: who may read "
             "either sees it",
             where);
}

Result<PodParams> RenewPodParams(const PodParams& present, const egress::EgressConfig& config,
                                 const std::string& where) {
  Findings told;  // dropped: the review of the source reports them
  PROV_TRY(egress::ParseUsableProxies(config, told));
  const bool has_values =
      std::ranges::any_of(egress::kProxyVariables, [&](std::string_view name) { return present.contains(name); });
  const bool states = egress::StatesProxy(config) && (config.proxy_file.present || !ProxyValuesOf(config).IsEmpty());
  if (has_values && !states) {
    return Fail(Code::kEmpty,
                "the source makes no statement about a proxy, so the last values stay; check that it is the right one",
                config.source.name);
  }
  return MakePodParams(config, PROV_TRY(PodTrustOf(present, where)));
}

}  // namespace prov::publish
