#include "provisioner/fleet/node_state.h"

#include <algorithm>
#include <utility>

#include "provisioner/base/clock.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::fleet {
namespace {

constexpr std::size_t kMostMessage = 500;

std::optional<std::string> TimeText(const std::optional<std::int64_t>& time) {
  return time ? std::optional(FormatUtc(*time)) : std::nullopt;
}

// Reads a Unix time or a UTC text.
Result<std::int64_t> ReadTime(const JsonNode& node) {
  if (const auto number = node.Integer()) return *number;
  const auto time = ParseUtc(PROV_TRY(node.Text()));
  if (time) return *time;
  return node.Refuse(Code::kType, "is not a time such as 2026-01-01T00:00:00Z");
}

Result<NodeFailure> ReadFailure(const JsonNode& node) {
  return NodeFailure{PROV_TRY(node.Find("code", &JsonNode::Text)).value_or(""),
                     PROV_TRY(node.Find("message", &JsonNode::Text)).value_or("")};
}

Result<NodeTrial> ReadTrial(const JsonNode& node) {
  NodeTrial out;
  out.digest = PROV_TRY(node.Get("digest", &JsonNode::Text));
  out.result = PROV_TRY(node.Get("result", node::ReadApprovedResult));
  out.reason = PROV_TRY(node.Find("reason", &JsonNode::Text)).value_or("");
  out.attempt = PROV_TRY(node.Find("attempt", &JsonNode::Integer)).value_or(0);
  return out;
}

Result<node::DrainWish> ReadDrainWish(const JsonNode& node) {
  return node::DrainWish{PROV_TRY(node.Get("boot", &JsonNode::Text)), PROV_TRY(node.Get("waits", &JsonNode::Bool)),
                         PROV_TRY(node.Get("asked", &JsonNode::Bool))};
}

}  // namespace

std::string StateText(const NodeState& state) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("digest", state.digest);
  json.Member("credentialDigest", state.credential_digest).Member("generation", state.generation);
  json.Member("appliedAt", TimeText(state.applied_at)).Member("readAt", TimeText(state.read_at));
  json.Member("drift", state.drift).Strings("staleServices", state.stale_services);
  json.Member("rebootRequired", state.reboot_required).Member("held", state.held);
  json.Key("failure");
  if (state.failure) {
    json.BeginObject().Member("code", state.failure->code);
    json.Member("message", Shorten(state.failure->message, kMostMessage)).EndObject();
  } else {
    json.Null();
  }
  if (state.interval) json.Member("interval", *state.interval);
  if (state.approval) WriteApproval(*state.approval, json);
  if (state.drain) {
    json.Key("drain").BeginObject().Member("boot", state.drain->boot).Member("waits", state.drain->waits);
    json.Member("asked", state.drain->asked).EndObject();
  }
  json.Member("version", state.version).Key("options").BeginObject();
  json.Strings("scope", state.scope);
  json.Strings("services", state.services);
  return json.EndObject().EndObject().OneLine();
}

void WriteApproval(const NodeApproval& approval, JsonWriter& json) {
  json.Member("pending", approval.pending).Key("trial");
  if (!approval.trial) {
    json.Null();
    return;
  }
  const NodeTrial& trial = *approval.trial;
  json.BeginObject().Member("digest", trial.digest);
  json.Member("result", node::NameOf(trial.result));
  json.Member("attempt", trial.attempt);
  if (!trial.reason.empty()) json.Member("reason", Shorten(trial.reason, kMostMessage));
  json.EndObject();
}

Result<NodeState> ParseState(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  NodeState out;
  out.digest = PROV_TRY(root.Find("digest", &JsonNode::Text));
  out.credential_digest = PROV_TRY(root.Find("credentialDigest", &JsonNode::Text));
  out.generation = PROV_TRY(root.Find("generation", &JsonNode::Integer));
  out.applied_at = PROV_TRY(root.Find("appliedAt", ReadTime));
  out.read_at = PROV_TRY(root.Find("readAt", ReadTime));
  out.drift = PROV_TRY(root.Find("drift", &JsonNode::Integer)).value_or(0);
  out.stale_services = PROV_TRY(root.Find("staleServices", &JsonNode::Texts)).value_or(std::vector<std::string>());
  out.reboot_required = PROV_TRY(root.Find("rebootRequired", &JsonNode::Bool)).value_or(false);
  out.held = PROV_TRY(root.Find("held", &JsonNode::Bool)).value_or(false);
  out.failure = PROV_TRY(root.Find("failure", ReadFailure));
  // null says that nothing waits for an approval.
  const auto members = PROV_TRY(root.Members());
  if (std::ranges::any_of(members, [](const auto& one) { return one.first == "pending"; })) {
    out.approval.emplace();
    out.approval->pending = PROV_TRY(root.Find("pending", &JsonNode::Text));
    out.approval->trial = PROV_TRY(root.Find("trial", ReadTrial));
  }
  out.drain = PROV_TRY(root.Find("drain", ReadDrainWish));
  out.version = PROV_TRY(root.Find("version", &JsonNode::Text)).value_or("");
  out.interval = PROV_TRY(root.Find("interval", &JsonNode::Integer));
  if (const auto options = PROV_TRY(root.Find("options"))) {
    out.scope = PROV_TRY(options->Find("scope", &JsonNode::Texts)).value_or(std::vector<std::string>());
    out.services = PROV_TRY(options->Find("services", &JsonNode::Texts)).value_or(std::vector<std::string>());
  }
  return out;
}

std::string AnnotationPatch(std::string_view name, const std::optional<std::string>& value) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject().Member(name, value);
  return json.EndObject().EndObject().EndObject().OneLine();
}

}  // namespace prov::fleet
