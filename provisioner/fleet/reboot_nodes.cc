#include "provisioner/fleet/reboot_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/fleet/operator_reboot.h"
#include "provisioner/fleet/rollout_nodes.h"

namespace prov::fleet {
namespace {

Result<RebootTurn> ParseTurn(const std::string& text) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, std::string(kRebootTurnAnnotation)));
  return RebootTurn{PROV_TRY(root.Get("boot", &JsonNode::Text)), PROV_TRY(root.Get("cordoned", &JsonNode::Bool))};
}

Result<RebootNode> ParseRebootNode(const JsonNode& node) {
  const JsonNode metadata = PROV_TRY(node.Get("metadata"));
  RebootNode out{PROV_TRY(metadata.Get("name", &JsonNode::Text))};
  out.version = PROV_TRY(metadata.Get("resourceVersion", &JsonNode::Text));
  out.ready = PROV_TRY(IsNodeReady(node));
  if (const auto spec = PROV_TRY(node.Find("spec")))
    out.cordoned = PROV_TRY(spec->Find("unschedulable", &JsonNode::Bool)).value_or(false);
  const auto annotations = PROV_TRY(metadata.Find("annotations"));
  if (!annotations) return out;
  out.operator_asked = PROV_TRY(annotations->Find(kOperatorRebootAnnotation)).has_value();
  PROV_TRY(ReadTurn(*annotations, out));
  if (const auto text = PROV_TRY(annotations->Find(kStateAnnotation, &JsonNode::Text))) {
    if (auto state = ParseState(*text, out.name)) out.state = *std::move(state);
  }
  return out;
}

// The kind of what makes the pod again; "": nothing does.
Result<std::string> OwnerOf(const JsonNode& metadata) {
  const auto owners = PROV_TRY(metadata.Find("ownerReferences"));
  if (!owners) return "";
  for (const JsonNode& owner : PROV_TRY(owners->Items())) {
    if (PROV_TRY(owner.Find("controller", &JsonNode::Bool)).value_or(false))
      return PROV_TRY(owner.Get("kind", &JsonNode::Text));
  }
  return "";
}

// nullopt: it may stay.
Result<std::optional<DrainPod>> ParseDrainPod(const JsonNode& pod) {
  const JsonNode metadata = PROV_TRY(pod.Get("metadata"));
  const auto annotations = PROV_TRY(metadata.Find("annotations"));
  const bool is_static = annotations && PROV_TRY(annotations->Find("kubernetes.io/config.mirror")).has_value();
  const std::string owner = PROV_TRY(OwnerOf(metadata));
  const auto status = PROV_TRY(pod.Find("status"));
  const auto phase = status ? PROV_TRY(status->Find("phase", &JsonNode::Text)) : std::nullopt;
  if (is_static || owner == "DaemonSet" || phase == "Succeeded" || phase == "Failed") return std::nullopt;
  DrainPod out;
  out.name_space = PROV_TRY(metadata.Get("namespace", &JsonNode::Text));
  out.name = PROV_TRY(metadata.Get("name", &JsonNode::Text));
  out.uid = PROV_TRY(metadata.Get("uid", &JsonNode::Text));
  out.ends = PROV_TRY(metadata.Find("deletionTimestamp")).has_value();
  out.has_owner = !owner.empty();
  return out;
}

JsonWriter& BeginPatch(JsonWriter& json, const RebootNode& node) {
  json.BeginObject().Key("metadata").BeginObject().Member("resourceVersion", node.version);
  return json.Key("annotations").BeginObject();
}

}  // namespace

Result<void> ReadTurn(const JsonNode& annotations, RebootNode& into) {
  into.approved = PROV_TRY(annotations.Find(kRebootApprovedAnnotation, &JsonNode::Text)).value_or("");
  const auto text = PROV_TRY(annotations.Find(kRebootTurnAnnotation, &JsonNode::Text));
  if (!text) return {};
  auto turn = ParseTurn(*text);
  into.turn_damaged = !turn;
  if (turn) into.turn = *std::move(turn);
  return {};
}

Result<std::vector<RebootNode>> ReadRebootNodes(source::KubeClient& client) {
  std::vector<RebootNode> out;
  PROV_TRY(ForEachNode(client, [&](const JsonNode& node) -> Result<void> {
    out.push_back(PROV_TRY(ParseRebootNode(node)));
    return {};
  }));
  std::ranges::sort(out, {}, &RebootNode::name);
  return out;
}

Result<std::vector<DrainPod>> ReadDrainPods(source::KubeClient& client, const std::string& node) {
  const source::KubeObject pods = source::PodObject("", "");
  const std::string query = fmt::format("fieldSelector=spec.nodeName%3D{}&limit=500", source::PercentEncode(node));
  std::vector<DrainPod> out;
  PROV_TRY(client.ListPages(pods, query, source::KubeDetail::kWhole, [&](const std::string& page) -> Result<void> {
    const JsonNode root = PROV_TRY(ParseJsonDocument(page, pods.Path()));
    const auto items = PROV_TRY(root.Find("items"));
    if (!items) return {};
    for (const JsonNode& item : PROV_TRY(items->Items())) {
      if (auto pod = PROV_TRY(ParseDrainPod(item))) out.push_back(*std::move(pod));
    }
    return {};
  }));
  std::ranges::sort(out, {}, [](const DrainPod& pod) { return std::tie(pod.name_space, pod.name); });
  return out;
}

std::string BeginTurnPatch(const RebootNode& node) {
  JsonWriter turn;
  turn.BeginObject().Member("schema", 1).Member("boot", node.state->drain->boot);
  turn.Member("cordoned", !node.cordoned).EndObject();
  JsonWriter json;
  BeginPatch(json, node).Member(kRebootTurnAnnotation, turn.OneLine()).EndObject().EndObject();
  if (!node.cordoned) json.Key("spec").BeginObject().Member("unschedulable", true).EndObject();
  return json.EndObject().OneLine();
}

std::string ApproveRebootPatch(const RebootNode& node) {
  JsonWriter json;
  BeginPatch(json, node).Member(kRebootApprovedAnnotation, node.turn->boot);
  return json.EndObject().EndObject().EndObject().OneLine();
}

std::string EndTurnPatch(const RebootNode& node) {
  JsonWriter json;
  BeginPatch(json, node).Key(kRebootTurnAnnotation).Null().Key(kRebootApprovedAnnotation).Null();
  json.EndObject().EndObject();
  if (node.turn->cordoned) json.Key("spec").BeginObject().Key("unschedulable").Null().EndObject();
  return json.EndObject().OneLine();
}

}  // namespace prov::fleet
