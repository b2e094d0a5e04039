#include "provisioner/egressip/egress_ip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "provisioner/base/text.h"
#include "provisioner/egressip/plugins.h"

namespace prov::egressip {
namespace {

// A HostSubnet and its Node are one node of the report.
std::vector<NodeEgress> NodesOf(const EgressObjects& objects) {
  std::map<std::string, NodeEgress> by_name;
  for (const HostSubnet& one : objects.host_subnets) by_name[one.name].address = one.host_ip;
  for (const NodeObject& one : objects.nodes) {
    NodeEgress& node = by_name[one.name];
    if (!one.address.empty()) node.address = one.address;
    node.windows = one.windows;
    node.offline = !one.ready;
  }
  std::vector<NodeEgress> out;
  for (auto& [name, node] : by_name) {
    node.name = name;
    out.push_back(std::move(node));
  }
  return out;
}

Result<void> PutOffline(const std::vector<std::string>& offline, EgressReport& report) {
  for (const std::string& name : offline) {
    bool found = false;
    for (NodeEgress& node : report.nodes) {
      if (node.name != name && (node.address.empty() || node.address != name)) continue;
      node.offline = found = true;
    }
    if (found) continue;
    return Fail(Code::kUsage, fmt::format("the files have no node with the name or address \"{}\"", Shorten(name)),
                "--offline");
  }
  return {};
}

Result<void> CheckPlugin(const EgressObjects& objects) {
  const bool sdn = !objects.net_namespaces.empty() || !objects.host_subnets.empty();
  const bool ovn = !objects.egress_ips.empty();
  if (sdn && ovn) {
    return Fail(Code::kKind,
                fmt::format("the files hold objects of openshift-sdn and of OVN-Kubernetes, and a cluster has one of "
                            "them; leave out those of the other, such as {}",
                            objects.egress_ips.front().where));
  }
  if (sdn || ovn || !objects.nodes.empty() || !objects.namespaces.empty()) return {};
  return Fail(Code::kKind,
              "the files hold none of the objects that decide about egress IPs; give NetNamespaces and HostSubnets "
              "(openshift-sdn), or EgressIPs, Nodes and Namespaces (OVN-Kubernetes), as `oc get -o yaml` prints them");
}

void ReportNodes(const EgressObjects& objects, EgressReport& report) {
  CappedFindings findings(report.findings, "nodes");
  for (const NodeObject& node : objects.nodes) {
    if (node.windows) {
      findings.Warn("egress-ip-windows",
                    fmt::format("the node {} runs Windows, and egress IPs do not cover it: whatever runs there leaves "
                                "with the node's address{}",
                                node.name, node.address.empty() ? "" : " " + node.address),
                    node.where);
    }
    if (!node.ready) {
      findings.Add(Severity::kInfo, "egress-ip-offline",
                   fmt::format("the node {} is not Ready, so it counts as offline", node.name), node.where);
    }
  }
}

// Warns about missing kinds of objects: a forgotten kind looks like a cluster without such objects.
void ReportMissing(const EgressObjects& objects, bool sdn, Findings& out) {
  const auto warn = [&](std::string_view kind, std::string_view effect, std::string_view resource) {
    AddWarning(out, "egress-ip-incomplete",
               fmt::format("the files hold no {}, so {}; add what `oc get {} -o yaml` prints", kind, effect, resource));
  };
  const bool requests =
      std::ranges::any_of(objects.net_namespaces, [](const NetNamespace& one) { return !one.egress_ips.empty(); });
  if (sdn && objects.net_namespaces.empty())
    warn("NetNamespace", "which namespaces request egress IPs is not known", "netnamespaces");
  if (sdn && objects.host_subnets.empty() && requests)
    warn("HostSubnet", "each requested address counts as one that no node has", "hostsubnets");
  if (!sdn && objects.egress_ips.empty())
    warn("EgressIP", "each pod counts as leaving with the address of its node", "egressips");
}

}  // namespace

std::string_view NameOf(EgressDecision decision) {
  constexpr std::array<std::string_view, 3> kNames = {"egressIP", "nodeIP", "dropped"};
  return kNames[static_cast<std::size_t>(decision)];
}

NodeEgress* FindNode(EgressReport& report, std::string_view name) {
  const auto found = std::ranges::find(report.nodes, name, &NodeEgress::name);
  return found == report.nodes.end() ? nullptr : &*found;
}

Result<EgressReport> EvaluateEgressIps(const EgressObjects& objects, const std::vector<std::string>& offline) {
  PROV_TRY(CheckPlugin(objects));
  EgressReport out;
  out.nodes = NodesOf(objects);
  PROV_TRY(PutOffline(offline, out));
  NodeNames names;
  for (const NodeEgress& node : out.nodes) {
    if (node.offline) names.insert(node.name);
  }
  ReportNodes(objects, out);
  const bool sdn = !objects.net_namespaces.empty() || !objects.host_subnets.empty();
  ReportMissing(objects, sdn, out.findings);
  sdn ? EvaluateSdn(objects, names, out) : EvaluateOvn(objects, names, out);
  std::ranges::sort(out.namespaces, {}, &NamespaceEgress::name);
  return out;
}

}  // namespace prov::egressip
