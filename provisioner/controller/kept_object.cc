#include "provisioner/controller/kept_object.h"

#include "provisioner/base/base64.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/source/kube_client.h"

namespace prov::controller {

Result<KeptObject> ParseKeptObject(KeptKind kind, std::string_view body, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, where));
  const JsonNode metadata = PROV_TRY(root.Get("metadata"));
  KeptObject out;
  out.resource_version = PROV_TRY(metadata.Get("resourceVersion", &JsonNode::Text));
  out.uid = PROV_TRY(metadata.Find("uid", &JsonNode::Text)).value_or("");
  if (const auto labels = PROV_TRY(metadata.Find("labels")))
    out.keeps = PROV_TRY(labels->Find(source::kKeepsLabel, &JsonNode::Text)).value_or("");
  if (const auto annotations = PROV_TRY(metadata.Find("annotations"))) {
    if (const auto text = PROV_TRY(annotations->Find(fleet::kStateAnnotation, &JsonNode::Text))) {
      out.was_written = true;
      if (auto state = fleet::ParseState(*text, where)) out.state = *std::move(state);
    }
  }
  const auto data = PROV_TRY(root.Find("data"));
  if (!data) return out;
  for (const auto& [key, value] : PROV_TRY(data->Members()))
    out.data[key] = kind == KeptKind::kUserData ? PROV_TRY(value.Bytes()) : PROV_TRY(value.Text());
  return out;
}

std::string KeptObjectPatch(KeptKind kind, const KeptObject& of, const fleet::NodeState& state, const KeptData* data) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("resourceVersion", of.resource_version);
  json.Key("annotations")
      .BeginObject()
      .Member(fleet::kStateAnnotation, fleet::StateText(state))
      .EndObject()
      .EndObject();
  if (data != nullptr) {
    json.Key("data").BeginObject();
    for (const auto& [key, bytes] : *data) json.Member(key, kind == KeptKind::kUserData ? EncodeBase64(bytes) : bytes);
    for (const auto& [key, bytes] : of.data) {
      if (!data->contains(key)) json.Key(key).Null();
    }
    json.EndObject();
  }
  return json.EndObject().Text();
}

}  // namespace prov::controller
