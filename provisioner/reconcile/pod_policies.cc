#include "provisioner/reconcile/pod_policies.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/hns/pods.h"
#include "provisioner/hns/policy.h"

namespace prov::reconcile {

Result<PodPolicies> MakePodPolicies(std::string bytes, std::string pods, const std::string& where, Findings& findings) {
  if (pods != hns::kAllPods && !IsDnsLabel(pods)) {
    return Fail(Code::kUsage,
                fmt::format("takes all, or the name of a namespace of Kubernetes, not \"{}\"", Shorten(pods)),
                "--hns-pods");
  }
  const std::vector<hns::Policy> policies = PROV_TRY(hns::ReadPolicies(std::move(bytes), where));
  const Findings warnings = PROV_TRY(hns::RequireValid(policies));
  findings.insert(findings.end(), warnings.begin(), warnings.end());
  PodPolicies out{std::move(pods), {}};
  for (const hns::Policy& policy : policies) out.settings.push_back(hns::SettingsJson(policy));
  return out;
}

void WritePodPolicies(JsonWriter& json, const PodPolicies& policies) {
  json.BeginObject().Member("pods", policies.pods).Key("policies").BeginArray();
  for (const std::string& settings : policies.settings) json.Json(hns::EndpointPolicyJson(settings));
  json.EndArray().EndObject();
}

Result<PodPolicies> ReadPodPolicies(const JsonNode& node) {
  const JsonNode policies = PROV_TRY(node.Get("policies"));
  PROV_TRY(policies.Items());
  Findings ignored;  // dropped: they were reported when the policies were written
  auto out = MakePodPolicies(policies.Json(), PROV_TRY(node.Get("pods", &JsonNode::Text)), "policies", ignored);
  if (!out)
    return policies.Refuse(out.error().code == Code::kUsage ? Code::kType : out.error().code, out.error().message);
  return out;
}

images::RegValue EncodeSettings(const std::vector<std::string>& settings) {
  JsonWriter json;
  json.BeginArray();
  for (const std::string& one : settings) json.String(one);
  return {"", images::RegType::kBinary, json.EndArray().Text()};
}

std::vector<std::string> DecodeSettings(const std::optional<images::RegValue>& value) {
  if (!value) return {};
  const Result<JsonNode> root = ParseJsonDocument(value->data, "settings");
  return root ? root->Texts().value_or(std::vector<std::string>()) : std::vector<std::string>();
}

}  // namespace prov::reconcile
