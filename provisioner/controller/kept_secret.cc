#include "provisioner/controller/kept_secret.h"

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::controller {

Result<KeptSecret> ParseKeptSecret(std::string_view body, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, where));
  const JsonNode metadata = PROV_TRY(root.Get("metadata"));
  KeptSecret out;
  out.resource_version = PROV_TRY(metadata.Get("resourceVersion", &JsonNode::Text));
  if (const auto labels = PROV_TRY(metadata.Find("labels")))
    out.keeps = PROV_TRY(labels->Find(kKeepsLabel, &JsonNode::Text)).value_or("");
  if (const auto annotations = PROV_TRY(metadata.Find("annotations"))) {
    if (const auto text = PROV_TRY(annotations->Find(fleet::kStateAnnotation, &JsonNode::Text))) {
      if (auto state = fleet::ParseState(*text, where)) out.state = *std::move(state);
    }
  }
  if (const auto data = PROV_TRY(root.Find("data"))) {
    for (const auto& [key, value] : PROV_TRY(data->Members())) out.data[key] = PROV_TRY(value.Bytes());
  }
  return out;
}

std::string KeptSecretPatch(const KeptSecret& of, const fleet::NodeState& state, const SecretData* data) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("resourceVersion", of.resource_version);
  json.Key("annotations")
      .BeginObject()
      .Member(fleet::kStateAnnotation, fleet::StateText(state))
      .EndObject()
      .EndObject();
  if (data != nullptr) {
    json.Key("data").BeginObject();
    for (const auto& [key, bytes] : *data) json.Member(key, EncodeBase64(bytes));
    for (const auto& [key, bytes] : of.data) {
      if (!data->contains(key)) json.Key(key).Null();
    }
    json.EndObject();
  }
  return json.EndObject().Text();
}

}  // namespace prov::controller
