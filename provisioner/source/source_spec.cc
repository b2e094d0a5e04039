#include "provisioner/source/source_spec.h"

#include <fmt/format.h>

#include "provisioner/source/kube_access.h"
#include "provisioner/source/source.h"

namespace prov::source {
namespace {

Result<Secret> ReadProxyUrl(const JsonNode& node) {
  Secret url(PROV_TRY(node.Text()));
  PROV_TRY(CheckProxyUrl(url, "the proxy of the stored source"));
  return url;
}

Result<int> ReadTimeout(const JsonNode& node) {
  const std::int64_t seconds = PROV_TRY(node.Integer());
  if (seconds < 1 || seconds > kLongestTimeout)
    return node.Refuse(Code::kType, fmt::format("is not within 1 to {} seconds", kLongestTimeout));
  return static_cast<int>(seconds);
}

}  // namespace

std::vector<std::string> SourceSpec::Files() const {
  std::vector<std::string> out;
  if (!IsRemote(source) && source != "-") out.push_back(source);
  if (!ca_file.empty()) out.push_back(ca_file);
  if (!kubeconfig.empty() && kubeconfig != kInCluster) out.push_back(kubeconfig);
  return out;
}

bool IsRemote(const std::string& source) { return source.find("://") != std::string::npos; }

void WriteSourceSpec(JsonWriter& json, const SourceSpec& spec) {
  json.BeginObject().Member("source", spec.source).Member("pool", spec.selection.pool);
  if (!spec.selection.name.empty()) json.Member("name", spec.selection.name);
  if (!spec.ca_file.empty()) json.Member("caFile", spec.ca_file);
  if (!spec.kubeconfig.empty()) json.Member("kubeconfig", spec.kubeconfig);
  if (spec.proxy_url) json.Member("proxy", spec.proxy_url->Reveal());
  if (spec.timeout_seconds) json.Member("timeout", *spec.timeout_seconds);
  if (spec.add_cluster_suffixes) json.Member("addClusterSuffixes", true);
  json.EndObject();
}

Result<SourceSpec> ReadSourceSpec(const JsonNode& node) {
  SourceSpec out;
  out.source = PROV_TRY(node.Get("source", &JsonNode::Text));
  out.selection.pool = PROV_TRY(node.Get("pool", &JsonNode::Text));
  out.selection.name = PROV_TRY(node.Find("name", &JsonNode::Text)).value_or("");
  out.ca_file = PROV_TRY(node.Find("caFile", &JsonNode::Text)).value_or("");
  out.kubeconfig = PROV_TRY(node.Find("kubeconfig", &JsonNode::Text)).value_or("");
  out.proxy_url = PROV_TRY(node.Find("proxy", ReadProxyUrl));
  out.timeout_seconds = PROV_TRY(node.Find("timeout", ReadTimeout));
  out.add_cluster_suffixes = PROV_TRY(node.Find("addClusterSuffixes", &JsonNode::Bool)).value_or(false);
  return out;
}

}  // namespace prov::source
