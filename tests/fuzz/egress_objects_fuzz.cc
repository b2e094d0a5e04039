// Objects of a cluster that decide about egress IPs: whatever the bytes are, they are refused with a place, or each
// namespace leaves in one way, an active address is on one node that has it, and a node that is offline or runs Windows
// has none; also while every second node is offline.
#include <map>

#include "provisioner/egressip/egress_ip.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using egressip::EgressDecision;
using egressip::EgressReport;

void CheckReport(const EgressReport& report) {
  std::map<std::string, const egressip::NodeEgress*> nodes;
  for (const egressip::NodeEgress& node : report.nodes) {
    FUZZ_CHECK(nodes.emplace(node.name, &node).second);
    if (node.offline) FUZZ_CHECK(node.egress_ips.empty());
  }
  for (const egressip::NamespaceEgress& one : report.namespaces) {
    FUZZ_CHECK(!one.name.empty() && !one.reason.empty());
    FUZZ_CHECK((one.decision == EgressDecision::kEgressIp) == !one.addresses.empty());
    std::map<std::string, std::string> places;
    for (const egressip::EgressIpAssignment& address : one.addresses) {
      FUZZ_CHECK(IpAddress::Parse(address.ip).has_value());
      FUZZ_CHECK(places.emplace(address.ip, address.node).second || places[address.ip] == address.node);
      const auto node = nodes.find(address.node);
      if (node != nodes.end()) FUZZ_CHECK(!node->second->offline);
    }
  }
  CheckFindings(report.findings);
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  egressip::EgressObjects objects;
  const auto added = egressip::AddEgressObjects(std::string(fuzz::TextOf(data, size)), "objects.yaml", objects);
  if (!added) {
    fuzz::CheckError(added.error(), "objects.yaml");
    return 0;
  }
  const auto report = egressip::EvaluateEgressIps(objects, {});
  if (!report) {
    fuzz::CheckError(report.error());
    return 0;
  }
  fuzz::CheckReport(*report);
  std::vector<std::string> offline;
  for (std::size_t i = 0; i < report->nodes.size(); i += 2) offline.push_back(report->nodes[i].name);
  const auto again = egressip::EvaluateEgressIps(objects, offline);
  FUZZ_CHECK(again.has_value());
  fuzz::CheckReport(*again);
  return 0;
}
