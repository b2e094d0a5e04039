#include "provisioner/reconcile/options_json.h"

#include "provisioner/reconcile/service_name.h"

namespace prov::reconcile {

Result<Scope> ReadScope(const JsonNode& names) {
  Scope out{false, false, false, false};
  for (const JsonNode& name : PROV_TRY(names.Items())) {
    if (!out.Add(PROV_TRY(name.Text()))) return name.Refuse(Code::kType, "is not managed by this version");
  }
  return out;
}

Result<CredentialPolicy> ReadCredentialPolicy(const JsonNode& name) {
  const auto policy = CredentialPolicyOf(PROV_TRY(name.Text()));
  if (!policy) return name.Refuse(Code::kType, "is none of machine, services, none");
  return *policy;
}

Result<std::vector<std::string>> ReadServiceNames(const JsonNode& names) {
  std::vector<std::string> out;
  for (const JsonNode& name : PROV_TRY(names.Items())) {
    out.push_back(PROV_TRY(name.Text()));
    if (!CheckServiceName(out.back())) return name.Refuse(Code::kType, "is not a service's name");
  }
  return out;
}

Result<pki::TrustedDigests> ReadCertificateDigests(const JsonNode& digests) {
  pki::TrustedDigests out;
  for (const JsonNode& node : PROV_TRY(digests.Items())) {
    auto digest = pki::ParseCertificateDigest(PROV_TRY(node.Text()));
    if (!digest) return node.Refuse(Code::kType, "is not the SHA-256 of a certificate");
    out.insert(*std::move(digest));
  }
  return out;
}

}  // namespace prov::reconcile
