// OVN-Kubernetes: which nodes get the addresses of EgressIPs, and which namespaces leave with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/egressip/helpers.h"

namespace prov::egressip {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

const char* const kAssignable = "k8s.ovn.org/egress-assignable: \"\"";
const char* const kProd = "matchLabels: {env: prod}";

std::string Primary(const char* network) {
  return fmt::format("k8s.ovn.org/node-primary-ifaddr: '{{\"ipv4\":\"{}\"}}'", network);
}

std::string LinuxYaml(int node) {
  return NodeYaml(fmt::format("worker-{}", node), kAssignable, Primary("10.0.0.0/24"), fmt::format("10.0.0.{}", node));
}

TEST(Ovn, SelectedNamespacesLeaveWithTheAddressesOfNodes) {
  const EgressReport report =
      Report({LinuxYaml(1), LinuxYaml(2), NodeYaml("other", "", "", "10.0.0.3"), NamespaceYaml("a", "env: prod"),
              NamespaceYaml("b", "env: test"), EgressIpYaml("prod", "10.0.0.100, 10.0.0.101", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-1 10.0.0.101@worker-2", "b nodeIP"));
  EXPECT_THAT(Codes(report), Each("info egress-ip-choice"));
}

// At most one address of an EgressIP on a node.
TEST(Ovn, TheThirdAddressFindsNoNode) {
  const EgressReport report = Report({LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"),
                                      EgressIpYaml("p", "10.0.0.100, 10.0.0.101, 10.0.0.102", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-1 10.0.0.101@worker-2"));
  EXPECT_THAT(Codes(report), Contains("warning egress-ip-unassigned"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("10.0.0.102 finds no node that has none of this EgressIP yet"));
}

TEST(Ovn, WhatTheStatusSaysStays) {
  const EgressReport report =
      Report({LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"),
              EgressIpYaml("p", "10.0.0.100", kProd, "status: {items: [{node: worker-2, egressIP: 10.0.0.100}]}\n")});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-2"));
  EXPECT_THAT(report.findings, IsEmpty());
}

TEST(Ovn, AnAddressMovesFromAnOfflineNode) {
  const std::vector<std::string> objects = {
      LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"),
      EgressIpYaml("p", "10.0.0.100", kProd, "status: {items: [{node: worker-2, egressIP: 10.0.0.100}]}\n")};
  EXPECT_THAT(Told(Report(objects, {"worker-2"})), ElementsAre("a egressIP 10.0.0.100@worker-1"));
  const EgressReport none = Report(objects, {"worker-1", "10.0.0.2"});
  EXPECT_THAT(Told(none), ElementsAre("a nodeIP"));
  EXPECT_THAT(Codes(none), ElementsAre("warning egress-ip-unassigned"));
  EXPECT_THAT(none.namespaces[0].reason, HasSubstr("each pod leaves with the address of its node"));
}

TEST(Ovn, WithoutNodesTheStatusIsAllThatIsKnown) {
  const std::string known =
      EgressIpYaml("p", "10.0.0.100", kProd, "status: {items: [{node: worker-2, egressIP: 10.0.0.100}]}\n");
  EXPECT_THAT(Told(Report({NamespaceYaml("a", "env: prod"), known})), ElementsAre("a egressIP 10.0.0.100@worker-2"));
  const EgressReport unknown = Report({NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.100", kProd)});
  EXPECT_THAT(Told(unknown), ElementsAre("a nodeIP"));
  EXPECT_THAT(unknown.namespaces[0].reason, HasSubstr("the files hold no Nodes"));
  // An item without a node says nothing.
  const EgressReport nowhere =
      Report({NamespaceYaml("a", "env: prod"),
              EgressIpYaml("p", "10.0.0.100", kProd, "status: {items: [{egressIP: 10.0.0.100}]}\n")});
  EXPECT_THAT(Told(nowhere), ElementsAre("a nodeIP"));
  ASSERT_FALSE(nowhere.findings.empty());
  EXPECT_THAT(nowhere.findings[0].message, HasSubstr("the files hold no Nodes"));
}

TEST(Ovn, WindowsNodesAreNotCovered) {
  const EgressReport report =
      Report({NodeYaml("win-1", fmt::format("kubernetes.io/os: windows, {}", kAssignable), "", "10.0.0.9"),
              NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.100", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a nodeIP"));
  ASSERT_EQ(report.nodes.size(), 1U);
  EXPECT_TRUE(report.nodes[0].windows);
  EXPECT_THAT(Codes(report), UnorderedElementsAre("warning egress-ip-windows", "warning egress-ip-windows",
                                                  "warning egress-ip-unassigned"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("leaves with the node's address 10.0.0.9"));
}

TEST(Ovn, AnAddressNeedsANetworkOfTheNode) {
  const EgressReport report =
      Report({LinuxYaml(1), NodeYaml("worker-2", kAssignable, Primary("10.1.0.0/24"), "10.1.0.2"),
              NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.1.0.100", kProd),
              EgressIpYaml("q", "192.0.2.1", "matchLabels: {env: test}")});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.1.0.100@worker-2"));
  EXPECT_THAT(Codes(report), UnorderedElementsAre("warning egress-ip-unassigned", "info egress-ip-unused"));
}

TEST(Ovn, ACloudSaysHowManyANodeCanHave) {
  const std::string cloud =
      "cloud.network.openshift.io/egress-ipconfig: "
      "'[{\"interface\":\"eni-1\",\"ifaddr\":{\"ipv4\":\"10.0.0.0/24\"},\"capacity\":{\"ipv4\":1,\"ipv6\":15}}]'";
  const EgressReport report = Report({NodeYaml("worker-1", kAssignable, cloud), NamespaceYaml("a", "env: prod"),
                                      NamespaceYaml("b", "env: test"), EgressIpYaml("p", "10.0.0.100", kProd),
                                      EgressIpYaml("q", "10.0.0.101", "matchLabels: {env: test}")});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-1", "b nodeIP"));
  EXPECT_THAT(report.namespaces[1].reason, HasSubstr("no node with room for one more address"));
}

TEST(Ovn, ASecondNetworkOfANodeHoldsAddresses) {
  const std::string two = Primary("10.0.0.1/24") + ", k8s.ovn.org/host-cidrs: '[\"10.0.0.1/24\",\"192.0.2.5/28\"]'";
  EXPECT_THAT(Told(Report({NodeYaml("worker-1", kAssignable, two), NamespaceYaml("a", "env: prod"),
                           EgressIpYaml("p", "192.0.2.1", kProd)})),
              ElementsAre("a egressIP 192.0.2.1@worker-1"));
}

TEST(Ovn, AnAddressOfANodeIsNoEgressIp) {
  const EgressReport report = Report(
      {LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.2, 10.0.0.100", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a nodeIP"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("10.0.0.2 is an address of the node worker-2 itself"));
}

TEST(Ovn, AnAddressBelongsToOneEgressIp) {
  const EgressReport report =
      Report({LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"), NamespaceYaml("b", "env: test"),
              EgressIpYaml("p", "10.0.0.100", kProd), EgressIpYaml("q", "10.0.0.100", "matchLabels: {env: test}")});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-1", "b nodeIP"));
  EXPECT_THAT(report.namespaces[1].reason, HasSubstr("belongs to the EgressIP p already"));
}

TEST(Ovn, AnInvalidAddressStopsTheWholeEgressIp) {
  const EgressReport report =
      Report({LinuxYaml(1), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.100, 10.0.0.300", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a nodeIP"));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].code, "egress-ip-address");
  // The operator's words, which an administrator looks for.
  EXPECT_THAT(report.findings[0].message,
              HasSubstr("egress IP: 10.0.0.300 for object EgressIP: p is not a valid IP address"));
  EXPECT_EQ(report.findings[0].where, "objects.yaml: $[2].spec.egressIPs[1]");
}

TEST(Ovn, PodsThatAreNotSelectedLeaveWithTheirNode) {
  const EgressReport report =
      Report({LinuxYaml(1), NamespaceYaml("a", "env: prod"),
              EgressIpYaml("p", "10.0.0.100", kProd, "  podSelector: {matchLabels: {app: web}}\n")});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-1"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("those with app=web; the others leave with the address of their"));
}

TEST(Ovn, TwoEgressIpsOfOneNamespaceAreToldOf) {
  const std::vector<std::string> nodes = {LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod")};
  std::vector<std::string> both = nodes;
  both.push_back(EgressIpYaml("p", "10.0.0.100", kProd));
  both.push_back(EgressIpYaml("q", "10.0.0.101", ""));  // everything
  const EgressReport report = Report(both);
  EXPECT_THAT(Codes(report), Contains("warning egress-ip-overlap"));
  EXPECT_EQ(report.namespaces[0].addresses.size(), 2U);
  std::vector<std::string> apart = nodes;
  apart.push_back(EgressIpYaml("p", "10.0.0.100", kProd, "  podSelector: {matchLabels: {app: web}}\n"));
  apart.push_back(EgressIpYaml("q", "10.0.0.101", kProd, "  podSelector: {matchLabels: {app: db}}\n"));
  EXPECT_THAT(Codes(Report(apart)), Not(Contains("warning egress-ip-overlap")));
}

TEST(Ovn, SelectorsByNameAndByExpression) {
  const std::vector<std::string> objects = {
      LinuxYaml(1), NamespaceYaml("a", "env: prod"), NamespaceYaml("b", "env: test"), NamespaceYaml("c"),
      EgressIpYaml("p", "10.0.0.100",
                   "matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [b, c]}, "
                   "{key: env, operator: Exists}]")};
  EXPECT_THAT(Told(Report(objects)), ElementsAre("a nodeIP", "b egressIP 10.0.0.100@worker-1", "c nodeIP"));
}

TEST(Ovn, WithoutEgressIpsThatIsSaid) {
  const EgressReport report = Report({LinuxYaml(1), NamespaceYaml("a")});
  EXPECT_THAT(Told(report), ElementsAre("a nodeIP"));
  ASSERT_THAT(Codes(report), ElementsAre("warning egress-ip-incomplete"));
  EXPECT_THAT(report.findings[0].message, HasSubstr("oc get egressips"));
}

TEST(Ovn, WithoutNamespacesThatIsSaid) {
  const EgressReport report = Report({LinuxYaml(1), EgressIpYaml("p", "10.0.0.100", kProd)});
  EXPECT_THAT(report.namespaces, IsEmpty());
  EXPECT_THAT(Codes(report), ElementsAre("warning egress-ip-unused"));
}

}  // namespace
}  // namespace prov::egressip
