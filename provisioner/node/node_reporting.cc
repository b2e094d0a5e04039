#include "provisioner/node/node_reporting.h"

#include "provisioner/source/kube_uri.h"

namespace prov::node {
namespace {

Result<ClusterNode> ReadClusterNode(const JsonNode& cluster) {
  const JsonNode name = PROV_TRY(cluster.Get("node"));
  ClusterNode out{PROV_TRY(name.Text()), PROV_TRY(cluster.Get("kubeconfig", &JsonNode::Text)), true};
  if (!source::IsKubeName(out.name)) return name.Refuse(Code::kType, "is not the name of a Node");
  return out;
}

Result<MaintenanceWindow> ReadWindow(const JsonNode& window) {
  return ParseMaintenanceWindow(PROV_TRY(window.Text()), "the stored maintenance window");
}

Result<RebootChoice> ReadRebootChoice(const JsonNode& reboot) {
  RebootChoice out;
  const JsonNode way = PROV_TRY(reboot.Get("way"));
  const std::string name = PROV_TRY(way.Text());
  for (const RebootMethod one : {RebootMethod::kNow, RebootMethod::kAnnotate, RebootMethod::kDrain}) {
    if (name == NameOf(one)) out.method = one;
  }
  if (!out.method) return way.Refuse(Code::kType, "is none of now, annotate and drain");
  out.window = PROV_TRY(reboot.Find("window", ReadWindow));
  return out;
}

}  // namespace

std::string_view NameOf(RebootMethod method) {
  switch (method) {
    case RebootMethod::kNow:
      return "now";
    case RebootMethod::kAnnotate:
      return "annotate";
    case RebootMethod::kDrain:
      return "drain";
  }
  return "";
}

void WriteNodeReporting(JsonWriter& json, const NodeReporting& reporting) {
  json.BeginObject();
  if (reporting.cluster) {
    json.Key("cluster").BeginObject().Member("node", reporting.cluster->name);
    json.Member("kubeconfig", reporting.cluster->kubeconfig).EndObject();
  }
  if (reporting.approval) json.Member("approval", true);
  if (!reporting.metrics_file.empty()) json.Member("metricsFile", reporting.metrics_file);
  if (reporting.reboot.method) {
    json.Key("reboot").BeginObject().Member("way", NameOf(*reporting.reboot.method));
    if (reporting.reboot.window) json.Member("window", reporting.reboot.window->text);
    json.EndObject();
  }
  json.EndObject();
}

Result<NodeReporting> ReadNodeReporting(const JsonNode& node) {
  NodeReporting out;
  out.cluster = PROV_TRY(node.Find("cluster", ReadClusterNode));
  out.approval = PROV_TRY(node.Find("approval", &JsonNode::Bool)).value_or(false);
  if (out.approval && !out.cluster) return node.Refuse(Code::kType, "waits for approval, but names no Node");
  out.metrics_file = PROV_TRY(node.Find("metricsFile", &JsonNode::Text)).value_or("");
  out.reboot = PROV_TRY(node.Find("reboot", ReadRebootChoice)).value_or(RebootChoice());
  if (out.reboot.method && out.reboot.method != RebootMethod::kNow && !out.cluster)
    return node.Refuse(Code::kType, "requests reboots of its cluster, but names no Node");
  return out;
}

}  // namespace prov::node
