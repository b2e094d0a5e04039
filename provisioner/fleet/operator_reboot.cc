#include "provisioner/fleet/operator_reboot.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"

namespace prov::fleet {

Result<bool> OperatorIsAsked(source::KubeClient& client, const std::string& node) {
  const source::KubeObject object = source::NodeObject(node);
  const std::string body = PROV_TRY(client.Get(object));
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, object.Path()));
  const auto annotations = PROV_TRY(PROV_TRY(root.Get("metadata")).Find("annotations"));
  return annotations && PROV_TRY(annotations->Find(kOperatorRebootAnnotation)).has_value();
}

Result<void> AskOperatorForReboot(source::KubeClient& client, const std::string& node) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject();
  json.Member(kOperatorRebootAnnotation, "").EndObject().EndObject().EndObject();
  return client.Patch(source::NodeObject(node), json.Text());
}

}  // namespace prov::fleet
