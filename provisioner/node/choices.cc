#include "provisioner/node/choices.h"

#include <utility>

#include "provisioner/hns/policy.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::node {
namespace {

constexpr std::uint64_t kBundleLimit = 64ULL << 20U;
constexpr std::string_view kRootOnly = "root-only";
constexpr std::string_view kSplit = "split";

Result<std::set<std::string>> ReadSubtracted(const std::string& path, const FileReader& read, Findings& findings) {
  std::set<std::string> out;
  const std::string bytes = PROV_TRY(read(path, kBundleLimit));
  for (const pki::Certificate& c : PROV_TRY(pki::ParseTrustBundle(bytes, path, findings))) out.insert(c.sha256);
  return out;
}

template <class Names>
void WriteNames(JsonWriter& json, std::string_view key, const Names& names) {
  json.Key(key).BeginArray();
  for (const auto& name : names) json.String(name);
  json.EndArray();
}

Result<std::optional<reconcile::Scope>> ReadScope(const JsonNode& node) {
  const auto found = PROV_TRY(node.Find("scope"));
  if (!found) return std::nullopt;
  reconcile::Scope out{false, false, false, false};
  for (const JsonNode& name : PROV_TRY(found->Items())) {
    if (!out.Add(PROV_TRY(name.Text()))) return name.Refuse(Code::kType, "is not managed by this version");
  }
  return out;
}

Result<std::optional<reconcile::CredentialPolicy>> ReadCredentials(const JsonNode& node) {
  const auto found = PROV_TRY(node.Find("credentials"));
  if (!found) return std::nullopt;
  const auto policy = reconcile::CredentialPolicyOf(PROV_TRY(found->Text()));
  if (!policy) return found->Refuse(Code::kType, "is none of machine, services, none");
  return policy;
}

Result<std::optional<std::vector<std::string>>> ReadServices(const JsonNode& node) {
  const auto found = PROV_TRY(node.Find("services"));
  if (!found) return std::nullopt;
  std::vector<std::string> out;
  for (const JsonNode& item : PROV_TRY(found->Items())) {
    out.push_back(PROV_TRY(item.Text()));
    if (!reconcile::CheckServiceName(out.back())) return item.Refuse(Code::kType, "is not a service's name");
  }
  return out;
}

Result<std::optional<bool>> ReadStore(const JsonNode& node) {
  const auto found = PROV_TRY(node.Find("store"));
  if (!found) return std::nullopt;
  const std::string name = PROV_TRY(found->Text());
  if (name != kSplit && name != kRootOnly) return found->Refuse(Code::kType, "is neither split nor root-only");
  return name == kRootOnly;
}

Result<std::set<std::string, std::less<>>> ReadTrusted(const JsonNode& node) {
  std::set<std::string, std::less<>> out;
  const auto found = PROV_TRY(node.Find("trusted"));
  if (!found) return out;
  for (const JsonNode& item : PROV_TRY(found->Items())) {
    auto digest = pki::ParseCertificateDigest(PROV_TRY(item.Text()));
    if (!digest) return item.Refuse(Code::kType, "is not the SHA-256 of a certificate");
    out.insert(*std::move(digest));
  }
  return out;
}

Result<bool> ReadSwitch(const JsonNode& node, std::string_view name) {
  const auto found = PROV_TRY(node.Find(name));
  return found ? found->Bool() : false;
}

Result<std::optional<std::string>> ReadOptionalText(const JsonNode& node, std::string_view name) {
  const auto found = PROV_TRY(node.Find(name));
  if (!found) return std::nullopt;
  return PROV_TRY(found->Text());
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
  if (choices.scope) WriteNames(json, "scope", choices.scope->Names());
  if (choices.with_wmco) json.Member("withWmco", true);
  if (choices.credentials) json.Member("credentials", reconcile::NameOf(*choices.credentials));
  if (choices.services) WriteNames(json, "services", *choices.services);
  if (choices.root_only) json.Member("store", *choices.root_only ? kRootOnly : kSplit);
  if (choices.import_leaf) json.Member("importLeaf", true);
  if (!choices.trusted.empty()) WriteNames(json, "trusted", choices.trusted);
  if (choices.subtract_file) json.Member("subtractFile", *choices.subtract_file);
  if (choices.hns_policy_file) json.Member("hnsPolicyFile", *choices.hns_policy_file);
  if (choices.hns_pods) json.Member("hnsPods", *choices.hns_pods);
  if (choices.win_http_octets) json.Member("winHttpOctets", true);
  if (choices.augment) json.Member("augment", true);
  json.EndObject();
}

Result<Choices> ReadChoices(const JsonNode& node) {
  Choices out;
  out.scope = PROV_TRY(ReadScope(node));
  out.with_wmco = PROV_TRY(ReadSwitch(node, "withWmco"));
  out.credentials = PROV_TRY(ReadCredentials(node));
  out.services = PROV_TRY(ReadServices(node));
  out.root_only = PROV_TRY(ReadStore(node));
  out.import_leaf = PROV_TRY(ReadSwitch(node, "importLeaf"));
  out.trusted = PROV_TRY(ReadTrusted(node));
  out.subtract_file = PROV_TRY(ReadOptionalText(node, "subtractFile"));
  out.hns_policy_file = PROV_TRY(ReadOptionalText(node, "hnsPolicyFile"));
  out.hns_pods = PROV_TRY(ReadOptionalText(node, "hnsPods"));
  out.win_http_octets = PROV_TRY(ReadSwitch(node, "winHttpOctets"));
  out.augment = PROV_TRY(ReadSwitch(node, "augment"));
  return out;
}

Result<reconcile::DesiredOptions> WithChoices(reconcile::DesiredOptions options, const Choices& choices,
                                              const FileReader& read, Findings& findings) {
  if (choices.scope) options.scope = *choices.scope;
  if (choices.with_wmco) options.scope.machine = false;
  if (choices.credentials) options.credentials = *choices.credentials;
  if (choices.services) options.services = *choices.services;
  if (choices.root_only) options.store.root_only = *choices.root_only;
  options.store.import_leaf = options.store.import_leaf || choices.import_leaf;
  options.store.named.insert(choices.trusted.begin(), choices.trusted.end());
  options.win_http_octets = options.win_http_octets || choices.win_http_octets;
  if (choices.hns_policy_file) {
    std::string bytes = PROV_TRY(read(*choices.hns_policy_file, hns::kMostPolicyBytes));
    options.hns = PROV_TRY(reconcile::MakePodPolicies(std::move(bytes), choices.hns_pods.value_or(""),
                                                      *choices.hns_policy_file, findings));
    options.scope.hns = true;
  }
  options.subtract.clear();
  if (choices.subtract_file) options.subtract = PROV_TRY(ReadSubtracted(*choices.subtract_file, read, findings));
  return options;
}

}  // namespace prov::node
