#include "provisioner/publish/pod_params.h"

#include <set>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::publish {
namespace {

// No text of the data holds a NUL, so two sets of data never give the same text.
void Append(std::string& text, std::string_view part) {
  text += part;
  text += '\0';
}

std::string DigestOf(const PodParams& params, const std::set<std::string_view>& certificates) {
  std::string text;
  for (const auto& [key, value] : params) {
    Append(text, key);
    Append(text, value);
  }
  for (const std::string_view certificate : certificates) Append(text, certificate);
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

}  // namespace prov::publish
