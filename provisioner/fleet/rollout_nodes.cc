#include "provisioner/fleet/rollout_nodes.h"

#include <algorithm>
#include <string>

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/approver.h"

namespace prov::fleet {
namespace {

// In small pages: each node lists its images.
constexpr std::string_view kNodesQuery = "labelSelector=kubernetes.io%2Fos%3Dwindows&limit=100";

// What is written beside the approval; 0: it can't be read, so the node does not use the approval, either.
std::int64_t AttemptOf(const std::string& rollout, const std::string& node) {
  const auto root = ParseJsonDocument(rollout, node);
  const auto attempt = root ? root->Find("attempt", &JsonNode::Integer) : std::unexpected(root.error());
  return attempt && *attempt ? **attempt : 0;
}

Result<RolloutNode> ParseRolloutNode(const JsonNode& node) {
  const JsonNode metadata = PROV_TRY(node.Get("metadata"));
  RolloutNode out;
  out.name = PROV_TRY(metadata.Get("name", &JsonNode::Text));
  out.reachable = PROV_TRY(IsNodeReady(node));
  if (const auto labels = PROV_TRY(metadata.Find("labels"))) {
    out.zone = PROV_TRY(labels->Find("topology.kubernetes.io/zone", &JsonNode::Text)).value_or("");
    out.canary = PROV_TRY(labels->Find(kCanaryLabel)).has_value();
  }
  const auto annotations = PROV_TRY(metadata.Find("annotations"));
  if (!annotations) return out;
  out.approved = PROV_TRY(annotations->Find(kApprovedAnnotation, &JsonNode::Text));
  if (const auto rollout = PROV_TRY(annotations->Find(kRolloutAnnotation, &JsonNode::Text)))
    out.approved_attempt = AttemptOf(*rollout, out.name);
  if (const auto text = PROV_TRY(annotations->Find(kStateAnnotation, &JsonNode::Text))) {
    if (auto state = ParseState(*text, out.name)) out.state = *std::move(state);
  }
  return out;
}

}  // namespace

Result<bool> IsNodeReady(const JsonNode& node) {
  const auto status = PROV_TRY(node.Find("status"));
  const auto conditions = status ? PROV_TRY(status->Find("conditions")) : std::nullopt;
  if (!conditions) return false;
  for (const JsonNode& one : PROV_TRY(conditions->Items())) {
    if (PROV_TRY(one.Get("type", &JsonNode::Text)) == "Ready")
      return PROV_TRY(one.Get("status", &JsonNode::Text)) == "True";
  }
  return false;
}

Result<void> ForEachNode(source::KubeClient& client, const std::function<Result<void>(const JsonNode& node)>& take) {
  const source::KubeObject nodes = source::NodeObject("");
  return client.ListPages(nodes, std::string(kNodesQuery), source::KubeDetail::kWhole,
                          [&](const std::string& page) -> Result<void> {
                            const JsonNode root = PROV_TRY(ParseJsonDocument(page, nodes.Path()));
                            const auto items = PROV_TRY(root.Find("items"));
                            if (!items) return {};
                            for (const JsonNode& item : PROV_TRY(items->Items())) PROV_TRY(take(item));
                            return {};
                          });
}

Result<std::vector<RolloutNode>> ReadRolloutNodes(source::KubeClient& client) {
  std::vector<RolloutNode> out;
  PROV_TRY(ForEachNode(client, [&](const JsonNode& node) -> Result<void> {
    out.push_back(PROV_TRY(ParseRolloutNode(node)));
    return {};
  }));
  std::ranges::sort(out, {}, &RolloutNode::name);
  return out;
}

}  // namespace prov::fleet
