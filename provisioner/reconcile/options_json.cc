#include "provisioner/reconcile/options_json.h"

#include "provisioner/reconcile/service_name.h"

namespace prov::reconcile {

Result<Scope> ReadScope(const JsonNode& names) {
  Scope out = Scope::None();
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

Result<std::string> ReadRegistryFolder(const JsonNode& folder) {
  auto path = CheckRegistryFolder(PROV_TRY(folder.Text()));
  if (!path) return folder.Refuse(Code::kType, path.error().message);
  return path;
}

Result<DesiredOptions> ReadOptions(const JsonNode& root) {
  DesiredOptions out;
  out.scope = PROV_TRY(root.Get("scope", ReadScope));
  out.credentials = PROV_TRY(root.Find("credentials", ReadCredentialPolicy)).value_or(out.credentials);
  if (auto trusted = PROV_TRY(root.Find("trusted", ReadCertificateDigests))) out.trusted = *std::move(trusted);
  out.win_http_octets = PROV_TRY(root.Find("winHttpOctets", &JsonNode::Bool)).value_or(false);
  out.hns = PROV_TRY(root.Find("hns", ReadPodPolicies));
  if (const auto registries = PROV_TRY(root.Find("registries"))) {
    out.registry_folder = PROV_TRY(registries->Find("folder", ReadRegistryFolder));
    // The scope lacks it where the source says nothing of registries.
    if (out.registry_folder) out.scope.registries = true;
  }
  if (auto services = PROV_TRY(root.Find("services", ReadServiceNames))) out.services = *std::move(services);
  return out;
}

}  // namespace prov::reconcile
