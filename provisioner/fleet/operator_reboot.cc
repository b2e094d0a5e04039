#include "provisioner/fleet/operator_reboot.h"

#include "provisioner/base/json_writer.h"

namespace prov::fleet {

Result<void> AskOperatorForReboot(source::KubeClient& client, const std::string& node) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Key("annotations").BeginObject();
  json.Member(kOperatorRebootAnnotation, "").EndObject().EndObject().EndObject();
  return client.Patch(source::NodeObject(node), json.Text());
}

}  // namespace prov::fleet
