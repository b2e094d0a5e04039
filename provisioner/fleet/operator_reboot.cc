#include "provisioner/fleet/operator_reboot.h"

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/cluster_node.h"
#include "provisioner/fleet/node_state.h"
#include "provisioner/source/kube_client.h"

namespace prov::fleet {
namespace {

constexpr int kOperatorSeconds = 15;

}  // namespace

Result<node::NodeReboots> OperatorReboot::Read() {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kOperatorSeconds));
  source::KubeClient client(access, {host_.http(), host_.clock()});
  const source::KubeObject object = source::NodeObject(node_.name);
  const JsonNode root = PROV_TRY(ParseJsonDocument(PROV_TRY(client.Get(object)), object.Path()));
  const auto annotations = PROV_TRY(PROV_TRY(root.Get("metadata")).Find("annotations"));
  node::NodeReboots out;
  if (!annotations) return out;
  out.operator_asked = PROV_TRY(annotations->Find(kOperatorRebootAnnotation)).has_value();
  const auto spec = PROV_TRY(root.Find("spec"));
  if (spec && PROV_TRY(spec->Find("unschedulable", &JsonNode::Bool)).value_or(false))
    out.approved = PROV_TRY(annotations->Find(kRebootApprovedAnnotation, &JsonNode::Text)).value_or("");
  return out;
}

Result<void> OperatorReboot::Request() {
  const source::KubeAccess access = PROV_TRY(OpenCluster(host_, node_, kOperatorSeconds));
  source::KubeClient client(access, {host_.http(), host_.clock()});
  return client.Patch(source::NodeObject(node_.name), AnnotationPatch(kOperatorRebootAnnotation, ""));
}

Result<void> RequestNodeReboot(node::OpenNode& node, const node::NodeReporting& reporting, Findings& findings) {
  if (!reporting.cluster) return node::RequestChosenReboot(node, reporting.reboot, nullptr, findings);
  OperatorReboot drains(node.host, *reporting.cluster);
  return node::RequestChosenReboot(node, reporting.reboot, &drains, findings);
}

}  // namespace prov::fleet
