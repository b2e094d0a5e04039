#include "provisioner/node/choices.h"

#include <utility>

#include "provisioner/hns/policy.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/reconcile/options_json.h"

namespace prov::node {
namespace {

constexpr std::uint64_t kBundleLimit = 64ULL << 20U;

Result<std::set<std::string>> ReadSubtracted(const std::string& path, const FileReader& read, Findings& findings) {
  std::set<std::string> out;
  const std::string bytes = PROV_TRY(read(path, kBundleLimit));
  for (const pki::Certificate& c : PROV_TRY(pki::ParseTrustBundle(bytes, path, findings))) out.insert(c.sha256);
  return out;
}

}  // namespace

std::vector<std::string> Choices::Files() const {
  std::vector<std::string> out;
  for (const std::optional<std::string>& file : {subtract_file, hns_policy_file}) {
    if (file) out.push_back(*file);
  }
  return out;
}

void WriteChoices(JsonWriter& json, const Choices& choices) {
  json.BeginObject();
  if (choices.scope) json.Strings("scope", choices.scope->Names());
  if (choices.with_wmco) json.Member("withWmco", true);
  if (choices.credentials) json.Member("credentials", reconcile::NameOf(*choices.credentials));
  if (choices.services) json.Strings("services", *choices.services);
  if (!choices.trusted.empty()) json.Strings("trusted", choices.trusted);
  if (choices.subtract_file) json.Member("subtractFile", *choices.subtract_file);
  if (choices.hns_policy_file) json.Member("hnsPolicyFile", *choices.hns_policy_file);
  if (choices.hns_pods) json.Member("hnsPods", *choices.hns_pods);
  if (choices.registry_folder) json.Member("registryFolder", *choices.registry_folder);
  if (choices.win_http_octets) json.Member("winHttpOctets", true);
  if (choices.augment) json.Member("augment", true);
  json.EndObject();
}

Result<Choices> ReadChoices(const JsonNode& node) {
  Choices out;
  out.scope = PROV_TRY(node.Find("scope", reconcile::ReadScope));
  out.with_wmco = PROV_TRY(node.Find("withWmco", &JsonNode::Bool)).value_or(false);
  out.credentials = PROV_TRY(node.Find("credentials", reconcile::ReadCredentialPolicy));
  out.services = PROV_TRY(node.Find("services", reconcile::ReadServiceNames));
  if (auto trusted = PROV_TRY(node.Find("trusted", reconcile::ReadCertificateDigests)))
    out.trusted = *std::move(trusted);
  out.subtract_file = PROV_TRY(node.Find("subtractFile", &JsonNode::Text));
  out.hns_policy_file = PROV_TRY(node.Find("hnsPolicyFile", &JsonNode::Text));
  out.hns_pods = PROV_TRY(node.Find("hnsPods", &JsonNode::Text));
  out.registry_folder = PROV_TRY(node.Find("registryFolder", reconcile::ReadRegistryFolder));
  out.win_http_octets = PROV_TRY(node.Find("winHttpOctets", &JsonNode::Bool)).value_or(false);
  out.augment = PROV_TRY(node.Find("augment", &JsonNode::Bool)).value_or(false);
  return out;
}

Result<reconcile::DesiredOptions> WithChoices(reconcile::DesiredOptions options, const Choices& choices,
                                              const FileReader& read, Findings& findings) {
  if (choices.scope) options.scope = *choices.scope;
  if (choices.with_wmco) options.scope.machine = false;
  if (choices.credentials) options.credentials = *choices.credentials;
  if (choices.services) options.services = *choices.services;
  options.trusted.insert(choices.trusted.begin(), choices.trusted.end());
  options.win_http_octets = options.win_http_octets || choices.win_http_octets;
  if (choices.hns_policy_file) {
    std::string bytes = PROV_TRY(read(*choices.hns_policy_file, hns::kMostPolicyBytes));
    options.hns = PROV_TRY(reconcile::MakePodPolicies(std::move(bytes), choices.hns_pods.value_or(""),
                                                      *choices.hns_policy_file, findings));
    options.scope.hns = true;
  }
  if (choices.registry_folder) {
    options.registry_folder = choices.registry_folder;
    options.scope.registries = true;
  }
  options.subtract.clear();
  if (choices.subtract_file) options.subtract = PROV_TRY(ReadSubtracted(*choices.subtract_file, read, findings));
  return options;
}

}  // namespace prov::node
