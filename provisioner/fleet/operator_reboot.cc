#include "provisioner/fleet/operator_reboot.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/fleet/cluster_node.h"

namespace prov::fleet {
namespace {

constexpr int kOperatorSeconds = 15;

}  // namespace

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

Result<bool> OperatorReboot::IsAsked() {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kOperatorSeconds));
  source::KubeClient client(access, {host_.http(), host_.clock()});
  return OperatorIsAsked(client, node_.name);
}

Result<void> OperatorReboot::Ask() {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kOperatorSeconds));
  source::KubeClient client(access, {host_.http(), host_.clock()});
  return AskOperatorForReboot(client, node_.name);
}

Result<void> RequestReboot(node::OpenNode& node, const node::NodeReporting& reporting, Findings& findings) {
  if (!reporting.cluster) return node::RequestChosenReboot(node, reporting.reboot, nullptr, findings);
  OperatorReboot drains(node.host, *reporting.cluster);
  return node::RequestChosenReboot(node, reporting.reboot, &drains, findings);
}

}  // namespace prov::fleet
