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

// The annotations of a node without a cloud: OVN's interface, and those besides.
std::string Interfaces(const std::string& primary, const std::string& others = "") {
  return fmt::format("k8s.ovn.org/node-primary-ifaddr: '{{\"ipv4\":\"{0}\"}}', k8s.ovn.org/host-cidrs: '[\"{0}\"{1}]'",
                     primary, others.empty() ? "" : fmt::format(",\"{}\"", others));
}

std::string LinuxYaml(int node, const std::string& others = "", const char* labels = kAssignable) {
  const std::string address = fmt::format("10.0.0.{}", node);
  return NodeYaml(fmt::format("worker-{}", node), labels, Interfaces(address + "/24", others), address);
}

std::string WindowsYaml(const std::string& address) {
  return NodeYaml("win-1", "kubernetes.io/os: windows", "", address);
}

TEST(Ovn, SelectedNamespacesLeaveWithTheAddressesOfNodes) {
  const EgressReport report =
      Report({LinuxYaml(1), LinuxYaml(2), LinuxYaml(3, "", ""), NamespaceYaml("a", "env: prod"),
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
      Report({LinuxYaml(1), NodeYaml("worker-2", kAssignable, Interfaces("10.1.0.2/24"), "10.1.0.2"),
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
  const auto told = [](const std::string& other, const char* address) {
    return Told(Report({LinuxYaml(1, other), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", address, kProd)}));
  };
  EXPECT_THAT(told("192.0.2.5/28", "192.0.2.1"), ElementsAre("a egressIP 192.0.2.1@worker-1"));
  EXPECT_THAT(told("169.254.8.5/16", "169.254.8.1"), ElementsAre("a nodeIP")) << "link-local";
  EXPECT_THAT(told("fe80::5/64", "fe80::1"), ElementsAre("a nodeIP"));
  EXPECT_THAT(told("fd00::5/64", "fd00::1"), ElementsAre("a egressIP fd00::1@worker-1"));
}

// The controller keeps the nodes of a second network for the addresses that follow.
TEST(Ovn, BehindAnAddressOfASecondNetworkOnlyItsNodesAreTried) {
  const auto report = [](const char* addresses) {
    return Report({LinuxYaml(1), LinuxYaml(2, "192.0.2.5/28"), LinuxYaml(3), NamespaceYaml("a", "env: prod"),
                   EgressIpYaml("p", addresses, kProd)});
  };
  const EgressReport second_first = report("192.0.2.1, 10.0.0.100");
  EXPECT_THAT(Told(second_first), ElementsAre("a egressIP 192.0.2.1@worker-2"));
  EXPECT_THAT(second_first.namespaces[0].reason, HasSubstr("in no fixed order"));
  EXPECT_THAT(Told(report("10.0.0.100, 192.0.2.1")), ElementsAre("a egressIP 10.0.0.100@worker-1 192.0.2.1@worker-2"));
}

TEST(Ovn, ACloudWithoutAnInterfaceLeavesANodeOut) {
  const auto cloud = [](int node, const char* config) {
    return NodeYaml(fmt::format("worker-{}", node), kAssignable,
                    fmt::format("{}, cloud.network.openshift.io/egress-ipconfig: '{}'",
                                Interfaces(fmt::format("10.0.0.{}/24", node), "192.0.2.5/28"), config),
                    fmt::format("10.0.0.{}", node));
  };
  const char* const right = R"([{"interface":"eni","ifaddr":{"ipv4":"10.0.0.0/24"},"capacity":{"ip":5}}])";
  for (const char* empty : {"[]", "null", " ", "[{}]"}) {
    const EgressReport report = Report(
        {cloud(1, empty), cloud(2, right), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.100", kProd)});
    EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-2")) << empty;
    EXPECT_THAT(Codes(report), ElementsAre("warning egress-ip-node")) << empty;
  }
  const EgressReport outside = Report({LinuxYaml(1), cloud(2, right), NamespaceYaml("a", "env: prod"),
                                       EgressIpYaml("p", "10.0.0.100, 192.0.2.1", kProd)});
  EXPECT_THAT(Told(outside), ElementsAre("a egressIP 10.0.0.100@worker-2")) << "a cloud has no second networks";
  EXPECT_THAT(Codes(outside), Contains("warning egress-ip-node"));
}

TEST(Ovn, ANodeWithoutItsAddressesStopsTheAssignment) {
  const std::string bare = NodeYaml("worker-9", "", Primary("10.0.0.9/24"), "10.0.0.9");
  const std::string kept = EgressIpYaml("k", "10.0.0.101", "matchLabels: {env: test}",
                                        "status: {items: [{node: worker-1, egressIP: 10.0.0.101}]}\n");
  const EgressReport report = Report({LinuxYaml(1), bare, NamespaceYaml("a", "env: prod"),
                                      NamespaceYaml("b", "env: test"), EgressIpYaml("p", "10.0.0.100", kProd), kept});
  EXPECT_THAT(Told(report), ElementsAre("a nodeIP", "b egressIP 10.0.0.101@worker-1"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("while the node worker-9 lacks"));
  EXPECT_THAT(Codes(report), UnorderedElementsAre("warning egress-ip-node", "warning egress-ip-unassigned"));
  // Files in which no node has them are shortened ones.
  const EgressReport shortened = Report({NodeYaml("worker-1", kAssignable, Primary("10.0.0.1/24"), "10.0.0.1"),
                                         NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.100", kProd)});
  EXPECT_THAT(Told(shortened), ElementsAre("a egressIP 10.0.0.100@worker-1"));
  EXPECT_THAT(Codes(shortened), ElementsAre("warning egress-ip-incomplete"));
}

TEST(Ovn, ANodeWithoutOvnsInterfaceGetsNone) {
  const std::string bare = NodeYaml("worker-0", kAssignable, "k8s.ovn.org/host-cidrs: '[\"10.0.0.9/24\"]'", "10.0.0.9");
  const EgressReport report =
      Report({bare, LinuxYaml(1), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.100", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.100@worker-1"));
  EXPECT_THAT(Codes(report), ElementsAre("warning egress-ip-node"));
}

// Since OVN-Kubernetes 1.3; before, the controller stopped at the conflict.
TEST(Ovn, AConflictIsPassedOver) {
  const EgressReport own = Report(
      {LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.2, 10.0.0.100", kProd)});
  EXPECT_THAT(Told(own), ElementsAre("a egressIP 10.0.0.100@worker-1"));
  EXPECT_THAT(own.namespaces[0].reason, HasSubstr("10.0.0.2 is an address of the node worker-2 itself"));
  EXPECT_THAT(Codes(own), Contains("info egress-ip-version"));

  const EgressReport of_another = Report({LinuxYaml(1), LinuxYaml(2), NamespaceYaml("a", "env: prod"),
                                          EgressIpYaml("o", "10.0.0.100", "matchLabels: {env: test}"),
                                          EgressIpYaml("p", "10.0.0.100, 10.0.0.101", kProd)});
  EXPECT_THAT(Told(of_another), ElementsAre("a egressIP 10.0.0.101@worker-2"));

  const EgressReport alone =
      Report({LinuxYaml(1), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.1", kProd)});
  EXPECT_THAT(Told(alone), ElementsAre("a nodeIP"));
  EXPECT_THAT(Codes(alone), ElementsAre("warning egress-ip-unassigned")) << "no version assigns another";
}

TEST(Ovn, TheAddressOfAWindowsNodeIsNotNoticed) {
  const EgressReport report = Report(
      {LinuxYaml(1), WindowsYaml("10.0.0.9"), NamespaceYaml("a", "env: prod"), EgressIpYaml("p", "10.0.0.9", kProd)});
  EXPECT_THAT(Told(report), ElementsAre("a egressIP 10.0.0.9@worker-1"));
  EXPECT_THAT(Codes(report), UnorderedElementsAre("warning egress-ip-windows", "warning egress-ip-conflict"));
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
  for (const char* other : {"matchLabels: {app: web}", "matchExpressions: [{key: app, operator: Exists}]",
                            "matchLabels: {app: web, tier: front}"}) {
    std::vector<std::string> same = nodes;
    same.push_back(EgressIpYaml("p", "10.0.0.100", kProd, "  podSelector: {matchLabels: {app: web}}\n"));
    same.push_back(EgressIpYaml("q", "10.0.0.101", kProd, fmt::format("  podSelector: {{{}}}\n", other)));
    EXPECT_THAT(Codes(Report(same)), Contains("warning egress-ip-overlap")) << other;
  }
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
