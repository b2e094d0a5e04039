#include "provisioner/fleet/policy_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/result.h"
#include "provisioner/source/kube_discovery.h"

namespace prov::fleet {
namespace {

using Names = std::set<std::string>;

Result<Names> ReadNames(source::KubeClient& client, std::string_view resource, source::KubeDetail detail,
                        Result<std::string> (*name_of)(const JsonNode& item)) {
  const source::KubeObject all = {
      .group = std::string(source::kAdmissionGroup), .resource = std::string(resource), .name_space = {}, .name = {}};
  Names out;
  PROV_TRY(client.ListPages(all, "limit=100", detail, [&](const std::string& page) -> Result<void> {
    const JsonNode root = PROV_TRY(ParseJsonDocument(page, all.Path()));
    const auto items = PROV_TRY(root.Find("items"));
    if (!items) return {};
    for (const JsonNode& item : PROV_TRY(items->Items())) out.insert(PROV_TRY(name_of(item)));
    return {};
  }));
  return out;
}

Result<std::string> NameOf(const JsonNode& policy) {
  return PROV_TRY(policy.Get("metadata")).Get("name", &JsonNode::Text);
}

// "": the binding does not deny.
Result<std::string> DeniedBy(const JsonNode& binding) {
  const JsonNode spec = PROV_TRY(binding.Get("spec"));
  const auto actions = PROV_TRY(spec.Find("validationActions", &JsonNode::Texts));
  if (!actions || std::ranges::find(*actions, "Deny") == actions->end()) return std::string();
  return spec.Get("policyName", &JsonNode::Text);
}

// The names of policies that are there and deny.
Result<Names> ReadPoliciesThatDeny(source::KubeClient& client) {
  Names out = PROV_TRY(ReadNames(client, source::kValidatingPolicies, source::KubeDetail::kMetadata, NameOf));
  const Names denied = PROV_TRY(ReadNames(client, source::kValidatingBindings, source::KubeDetail::kWhole, DeniedBy));
  std::erase_if(out, [&](const std::string& name) { return !denied.contains(name); });
  return out;
}

}  // namespace

void ReviewPolicies(source::KubeClient& client, std::span<const std::string_view> wanted, Findings& findings) {
  const auto knows = source::Serves(client, source::kAdmissionGroup, source::kValidatingPolicies);
  if (knows && !*knows) {
    AddWarning(findings, "fleet-policies",
               "this API server is older than Kubernetes 1.30 and knows no ValidatingAdmissionPolicy, so pods of the "
               "fleet may change every Node: who controls one Windows node could taint or label all others; upgrade "
               "the cluster, or report without --node",
               std::string(source::kValidatingPolicies));
    return;
  }
  const auto denying = ReadPoliciesThatDeny(client);
  if (!denying) {
    AddInfo(findings, "fleet-policies",
            fmt::format("whether the cluster has the admission policies of deploy was not looked at: {}",
                        denying.error().message),
            denying.error().where);
    return;
  }
  std::vector<std::string_view> missing;
  std::ranges::copy_if(wanted, std::back_inserter(missing), [&](std::string_view name) {
    return std::ranges::none_of(*denying, [&](const std::string& one) { return one.contains(name); });
  });
  if (missing.empty()) return;
  AddWarning(findings, "fleet-policies",
             fmt::format("the cluster lacks admission policies of deploy, or their bindings: {}; without them who "
                         "controls a pod of the fleet, or has a right of rollouts or reboots, could taint or label all "
                         "Nodes; apply the manifests of deploy again",
                         fmt::join(missing, ", ")),
             std::string(source::kValidatingPolicies));
}

}  // namespace prov::fleet
