#include "provisioner/fleet/node_state.h"

#include "provisioner/base/clock.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/base/text.h"

namespace prov::fleet {
namespace {

constexpr std::size_t kMostMessage = 500;

void WriteText(JsonWriter& json, std::string_view key, const std::optional<std::string>& text) {
  json.Key(key);
  if (text) {
    json.String(*text);
  } else {
    json.Null();
  }
}

void WriteTime(JsonWriter& json, std::string_view key, const std::optional<std::int64_t>& time) {
  WriteText(json, key, time ? std::optional(FormatUtc(*time)) : std::nullopt);
}

void WriteList(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.Key(key).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

// In one line, as an annotation is shown.
std::string InOneLine(const std::string& document) {
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer> writer(out);
  rapidjson::StringStream stream(document.c_str());
  rapidjson::Reader().Parse<rapidjson::kParseIterativeFlag>(stream, writer);
  return {out.GetString(), out.GetSize()};
}

Result<std::optional<std::string>> TextAt(const JsonNode& node, std::string_view name) {
  const auto found = PROV_TRY(node.Find(name));
  if (!found) return std::nullopt;
  return PROV_TRY(found->Text());
}

Result<std::optional<std::int64_t>> NumberAt(const JsonNode& node, std::string_view name) {
  const auto found = PROV_TRY(node.Find(name));
  if (!found) return std::nullopt;
  return PROV_TRY(found->Integer());
}

Result<std::optional<std::int64_t>> TimeAt(const JsonNode& node, std::string_view name) {
  const auto found = PROV_TRY(node.Find(name));
  if (!found) return std::nullopt;
  if (const auto number = found->Integer()) return *number;
  const auto time = ParseUtc(PROV_TRY(found->Text()));
  if (time) return *time;
  return found->Refuse(Code::kType, "is not a time such as 2026-01-01T00:00:00Z");
}

Result<std::vector<std::string>> ListAt(const JsonNode& node, std::string_view name) {
  std::vector<std::string> out;
  const auto found = PROV_TRY(node.Find(name));
  if (!found) return out;
  for (const JsonNode& item : PROV_TRY(found->Items())) out.push_back(PROV_TRY(item.Text()));
  return out;
}

}  // namespace

std::string StateText(const NodeState& state) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteText(json, "digest", state.digest);
  WriteText(json, "credentialDigest", state.credential_digest);
  json.Key("generation");
  if (state.generation) {
    json.Int(*state.generation);
  } else {
    json.Null();
  }
  WriteTime(json, "appliedAt", state.applied_at);
  WriteTime(json, "readAt", state.read_at);
  json.Member("drift", state.drift).Member("rebootRequired", state.reboot_required).Member("held", state.held);
  json.Key("failure");
  if (state.failure) {
    json.BeginObject().Member("code", state.failure->code);
    json.Member("message", Shorten(state.failure->message, kMostMessage)).EndObject();
  } else {
    json.Null();
  }
  json.Member("version", state.version).Key("options").BeginObject();
  WriteList(json, "scope", state.scope);
  WriteList(json, "services", state.services);
  return InOneLine(json.EndObject().EndObject().Text());
}

Result<NodeState> ParseState(std::string_view text, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(text, where));
  NodeState out;
  out.digest = PROV_TRY(TextAt(root, "digest"));
  out.credential_digest = PROV_TRY(TextAt(root, "credentialDigest"));
  out.generation = PROV_TRY(NumberAt(root, "generation"));
  out.applied_at = PROV_TRY(TimeAt(root, "appliedAt"));
  out.read_at = PROV_TRY(TimeAt(root, "readAt"));
  out.drift = PROV_TRY(NumberAt(root, "drift")).value_or(0);
  if (const auto reboot = PROV_TRY(root.Find("rebootRequired"))) out.reboot_required = PROV_TRY(reboot->Bool());
  if (const auto held = PROV_TRY(root.Find("held"))) out.held = PROV_TRY(held->Bool());
  if (const auto failure = PROV_TRY(root.Find("failure"))) {
    out.failure = NodeFailure{PROV_TRY(TextAt(*failure, "code")).value_or(""),
                              PROV_TRY(TextAt(*failure, "message")).value_or("")};
  }
  out.version = PROV_TRY(TextAt(root, "version")).value_or("");
  if (const auto options = PROV_TRY(root.Find("options"))) {
    out.scope = PROV_TRY(ListAt(*options, "scope"));
    out.services = PROV_TRY(ListAt(*options, "services"));
  }
  return out;
}

std::string StatePatch(const NodeState& state) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject();
  json.Member(kStateAnnotation, StateText(state));
  return InOneLine(json.EndObject().EndObject().EndObject().Text());
}

std::string ForgetPatch() {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject();
  json.Key(kStateAnnotation).Null();
  return InOneLine(json.EndObject().EndObject().EndObject().Text());
}

}  // namespace prov::fleet
