// Objects and reports as the tests of egress IPs write and read them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "provisioner/egressip/egress_ip.h"
#include "tests/support/finding_codes.h"

namespace prov::egressip {

inline std::string Documents(const std::vector<std::string>& documents) {
  return fmt::format("{}", fmt::join(documents, "---\n"));
}

inline std::string HostSubnetYaml(int node, const std::string& ips, const std::string& cidrs = "") {
  return fmt::format(
      "apiVersion: network.openshift.io/v1\nkind: HostSubnet\nmetadata: {{name: node-{0}}}\nhost: node-{0}\n"
      "hostIP: 172.17.0.{0}\negressIPs: [{1}]\negressCIDRs: [{2}]\n",
      node, ips, cidrs);
}

inline std::string NetNamespaceYaml(int id, const std::string& ips) {
  return fmt::format(
      "apiVersion: network.openshift.io/v1\nkind: NetNamespace\nmetadata: {{name: ns-{0}}}\nnetid: {0}\n"
      "egressIPs: [{1}]\n",
      id, ips);
}

inline std::string NodeYaml(const std::string& name, const std::string& labels, const std::string& annotations = "",
                            const std::string& address = "10.0.0.7") {
  return fmt::format(
      "apiVersion: v1\nkind: Node\nmetadata:\n  name: {}\n  labels: {{{}}}\n  annotations: {{{}}}\n"
      "status: {{addresses: [{{type: InternalIP, address: {}}}], conditions: [{{type: Ready, status: \"True\"}}]}}\n",
      name, labels, annotations, address);
}

inline std::string NamespaceYaml(const std::string& name, const std::string& labels = "") {
  return fmt::format("apiVersion: v1\nkind: Namespace\nmetadata: {{name: {}, labels: {{{}}}}}\n", name, labels);
}

// `more` is what follows in spec, each line indented by two, and status.
inline std::string EgressIpYaml(const std::string& name, const std::string& ips, const std::string& selector,
                                const std::string& more = "") {
  return fmt::format(
      "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata: {{name: {}}}\nspec:\n  egressIPs: [{}]\n"
      "  namespaceSelector: {{{}}}\n{}",
      name, ips, selector, more);
}

inline EgressReport Report(const std::vector<std::string>& documents, const std::vector<std::string>& offline = {}) {
  EgressObjects objects;
  const auto added = AddEgressObjects(Documents(documents), "objects.yaml", objects);
  EXPECT_TRUE(added) << (added ? "" : added.error().message + " " + added.error().where);
  auto report = EvaluateEgressIps(objects, offline);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return report ? *std::move(report) : EgressReport();
}

// "ns-42 egressIP 172.17.0.100@node-3 172.17.0.101@node-4", one for each namespace.
inline std::vector<std::string> Told(const EgressReport& report) {
  std::vector<std::string> out;
  for (const NamespaceEgress& one : report.namespaces) {
    std::string line = fmt::format("{} {}", one.name, NameOf(one.decision));
    for (const EgressIpAssignment& address : one.addresses) line += fmt::format(" {}@{}", address.ip, address.node);
    out.push_back(std::move(line));
  }
  return out;
}

inline std::vector<std::string> Codes(const EgressReport& report) {
  return testing_support::SeverityAndCodesOf(report.findings);
}

}  // namespace prov::egressip
