// `egress-ip`: the addresses from which the namespaces of a cluster reach the outside, and the nodes that their traffic
// leaves through.
#include "provisioner/egressip/egress_ip.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"

namespace prov::cli {
namespace {

using egressip::EgressReport;
using egressip::NamespaceEgress;
using egressip::NodeEgress;

constexpr std::uint64_t kMostEgressObjectBytes = 64ULL << 20U;
constexpr std::size_t kWidestName = 50;

Result<egressip::EgressObjects> ReadObjects(const std::vector<std::string>& files) {
  if (files.empty()) {
    return Fail(Code::kUsage,
                "FILE is missing; give the output of `oc get netnamespaces,hostsubnets -o yaml` or `oc get "
                "egressips,nodes,namespaces -o yaml`, in front of --offline, which takes all words that follow it",
                "provisioner egress-ip");
  }
  if (std::ranges::count(files, "-") > 1)
    return Fail(Code::kUsage, "standard input (-) can be read once only", "provisioner egress-ip");
  egressip::EgressObjects out;
  for (const std::string& file : files) {
    if (file.empty()) return Fail(Code::kUsage, "a FILE is empty (an unset variable?)", "provisioner egress-ip");
    PROV_TRY(
        AddEgressObjects(PROV_TRY(ReadFile(file, kMostEgressObjectBytes)), file == "-" ? "standard input" : file, out));
  }
  return out;
}

void WriteNodes(JsonWriter& json, const std::vector<NodeEgress>& nodes) {
  json.Key("nodes").BeginArray();
  for (const NodeEgress& node : nodes) {
    json.BeginObject().Member("name", node.name);
    WriteTextOrNull(json, "address", node.address);
    json.Member("windows", node.windows).Member("covered", !node.windows).Member("offline", node.offline);
    json.Strings("egressIPs", node.egress_ips).EndObject();
  }
  json.EndArray();
}

std::string EgressReportJson(const EgressReport& report) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("namespaces").BeginArray();
  for (const NamespaceEgress& one : report.namespaces) {
    json.BeginObject().Member("name", one.name).Member("decision", NameOf(one.decision)).Key("addresses").BeginArray();
    for (const egressip::EgressIpAssignment& address : one.addresses)
      json.BeginObject().Member("ip", address.ip).Member("node", address.node).EndObject();
    json.EndArray().Member("reason", one.reason).EndObject();
  }
  json.EndArray();
  WriteNodes(json, report.nodes);
  WriteFindings(json, report.findings);
  return json.EndObject().Text();
}

// The width of the widest text, within limits, and at least that of the heading.
template <class T>
std::size_t WidthOf(const std::vector<T>& rows, std::string_view heading) {
  std::size_t width = heading.size();
  for (const T& row : rows) width = std::max(width, std::min(Printable(row.name).size(), kWidestName));
  return width;
}

std::string DetailOf(const NamespaceEgress& one) {
  std::vector<std::string> addresses;
  addresses.reserve(one.addresses.size());
  for (const egressip::EgressIpAssignment& address : one.addresses)
    addresses.push_back(fmt::format("{} on {}", address.ip, address.node));
  return addresses.empty() ? one.reason : fmt::format("{}", fmt::join(addresses, ", "));
}

std::string DetailOf(const NodeEgress& node) {
  if (node.windows)
    return fmt::format("not covered: leaves with {}", node.address.empty() ? "its own address" : node.address);
  const std::string addresses = node.egress_ips.empty() ? "-" : fmt::format("{}", fmt::join(node.egress_ips, ", "));
  return node.offline ? addresses + " (offline)" : addresses;
}

std::string EgressReportText(const EgressReport& report) {
  const std::size_t width = WidthOf(report.namespaces, "namespace");
  std::string out = fmt::format("{:<{}}  leaves by\n", "namespace", width);
  for (const NamespaceEgress& one : report.namespaces)
    out +=
        fmt::format("{:<{}}  {:<8}  {}\n", Printable(one.name), width, NameOf(one.decision), Printable(DetailOf(one)));
  if (report.nodes.empty()) return out;
  const std::size_t node_width = WidthOf(report.nodes, "node");
  out += fmt::format("\n{:<{}}  egress IPs\n", "node", node_width);
  for (const NodeEgress& node : report.nodes)
    out += fmt::format("{:<{}}  {}\n", Printable(node.name), node_width, Printable(DetailOf(node)));
  return out;
}

Result<Outcome> RunEgressIp(const Arguments& arguments, machine::Host& /*host*/) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const egressip::EgressObjects objects = PROV_TRY(ReadObjects(arguments.words()));
  EgressReport report = PROV_TRY(EvaluateEgressIps(objects, arguments.List("offline")));
  const int exit = IsValid(report.findings) ? 0 : InfoOf(Code::kInvalidConfig).exit;
  if (json) return Outcome{exit, EgressReportJson(report), {}};
  return Outcome{exit, EgressReportText(report), std::move(report.findings)};
}

}  // namespace

Command EgressIpCommand() {
  CommandSpec spec = {
      "egress-ip",
      "Show the source addresses and the nodes by which the namespaces of a cluster leave it.",
      "FILE...",
      "FILE holds objects as `oc get -o yaml` or `-o json` prints them (- is standard input). openshift-sdn:\n"
      "NetNamespaces and HostSubnets. OVN-Kubernetes: EgressIPs, Nodes and Namespaces. egressIP: traffic leaves with\n"
      "one of these addresses; nodeIP: each pod leaves with the address of its node; dropped: no traffic leaves.\n"
      "Egress IPs do not cover Windows nodes: pods there leave with the address of the node. Exit code 11 when an "
      "entry is\n"
      "invalid.",
      "  $ oc get egressips,nodes,namespaces -o yaml | provisioner egress-ip - --offline worker-1\n"
      "  namespace  leaves by\n"
      "  billing    egressIP  10.0.0.100 on worker-2",
      JoinOptions({{{"offline", "NODE...", "show the state while these nodes are offline (names or addresses)",
                     Group::kRequests}},
                   OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunEgressIp};
}

}  // namespace prov::cli
