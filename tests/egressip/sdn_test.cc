// openshift-sdn: the states that its own tests go through, each as one question; and wrong objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/egressip/helpers.h"

namespace prov::egressip {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(Sdn, ANamespaceLeavesWithTheAddressThatItsNodeHas) {
  const EgressReport report =
      Report({HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, "172.17.0.102, 172.17.0.104"),
              NetNamespaceYaml(42, "172.17.0.100"), NetNamespaceYaml(43, ""), NetNamespaceYaml(44, "172.17.0.104"),
              NetNamespaceYaml(45, "172.17.0.105")});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 egressIP 172.17.0.100@node-3", "ns-43 nodeIP",
                                        "ns-44 egressIP 172.17.0.104@node-4", "ns-45 dropped"));
  EXPECT_THAT(Codes(report), UnorderedElementsAre("info egress-ip-unused", "warning egress-ip-unassigned"));
  ASSERT_EQ(report.nodes.size(), 2U);
  EXPECT_EQ(report.nodes[0].address, "172.17.0.3");
  EXPECT_THAT(report.nodes[1].egress_ips, ElementsAre("172.17.0.104"));
}

TEST(Sdn, AllActiveAddressesAreUsedAndTheRestIsNamed) {
  const std::vector<std::string> objects = {HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, "172.17.0.101"),
                                            NetNamespaceYaml(42, "172.17.0.101, 172.17.0.100, 172.17.0.200")};
  const EgressReport report = Report(objects);
  EXPECT_THAT(Told(report), ElementsAre("ns-42 egressIP 172.17.0.101@node-4 172.17.0.100@node-3"));
  EXPECT_EQ(report.namespaces[0].reason, "172.17.0.200 is on no node");
}

TEST(Sdn, AnAddressOfTwoNodesIsOfNone) {
  const EgressReport report = Report({HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, "172.17.0.100"),
                                      HostSubnetYaml(5, "", "172.17.0.0/24"), NetNamespaceYaml(42, "172.17.0.100")});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 dropped"));
  EXPECT_THAT(Codes(report), ElementsAre("warning egress-ip-conflict"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("node-3 and node-4"));
}

// Both lose all that they have, though one has a good address, too.
TEST(Sdn, AnAddressOfTwoNamespacesTakesEverythingFromBoth) {
  const EgressReport report =
      Report({HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, "172.17.0.101"),
              NetNamespaceYaml(42, "172.17.0.100, 172.17.0.101"), NetNamespaceYaml(44, "172.17.0.101")});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 dropped", "ns-44 dropped"));
  EXPECT_THAT(Codes(report), ElementsAre("warning egress-ip-conflict"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("172.17.0.101 is requested by ns-42 and ns-44"));
}

TEST(Sdn, TwoAddressesOfOneNodeAreNoneForANamespace) {
  const EgressReport report =
      Report({HostSubnetYaml(3, "172.17.0.100, 172.17.0.101"), HostSubnetYaml(4, "172.17.0.102"),
              NetNamespaceYaml(42, "172.17.0.100, 172.17.0.101, 172.17.0.102")});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 egressIP 172.17.0.102@node-4"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("172.17.0.100 and 172.17.0.101 are on one node, node-3"));
}

TEST(Sdn, AddressesOfOfflineNodesAreLeftOut) {
  const std::vector<std::string> objects = {HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, "172.17.0.101"),
                                            NetNamespaceYaml(42, "172.17.0.100, 172.17.0.101")};
  EXPECT_THAT(Told(Report(objects)), ElementsAre("ns-42 egressIP 172.17.0.100@node-3 172.17.0.101@node-4"));
  const EgressReport one = Report(objects, {"node-3"});
  EXPECT_THAT(Told(one), ElementsAre("ns-42 egressIP 172.17.0.101@node-4"));
  EXPECT_THAT(Codes(one), ElementsAre("warning egress-ip-offline"));
  EXPECT_TRUE(one.nodes[0].offline);
  EXPECT_THAT(one.nodes[0].egress_ips, IsEmpty());
  EXPECT_THAT(Told(Report(objects, {"node-3", "172.17.0.4"})), ElementsAre("ns-42 dropped"));
}

// The plugin goes on sending to the node: nothing arrives outside.
TEST(Sdn, TheOnlyAddressOnAnOfflineNodeIsLost) {
  const EgressReport report = Report(
      {HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, ""), NetNamespaceYaml(42, "172.17.0.100")}, {"node-3"});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 dropped"));
  EXPECT_THAT(report.namespaces[0].reason, HasSubstr("offline node node-3"));
}

TEST(Sdn, NetworksSpreadAddressesOverNodes) {
  const std::string three = "172.17.0.100/32, 172.17.0.101/32, 172.17.0.102/32, 172.17.0.103/32, 172.17.1.0/24";
  const std::vector<std::string> objects = {
      HostSubnetYaml(3, "", three),         HostSubnetYaml(4, "", "172.17.0.0/24"),
      HostSubnetYaml(5, "172.17.2.100"),    NetNamespaceYaml(42, "172.17.0.100"),
      NetNamespaceYaml(43, "172.17.0.101"), NetNamespaceYaml(44, "172.17.1.1"),
      NetNamespaceYaml(46, "172.17.0.200"), NetNamespaceYaml(47, "172.17.0.201"),
      NetNamespaceYaml(50, "172.17.2.100")};
  const EgressReport report = Report(objects);
  // Those that only one node can have first: one for node-3, two for node-4; then the balance decides.
  EXPECT_THAT(Told(report), ElementsAre("ns-42 egressIP 172.17.0.100@node-3", "ns-43 egressIP 172.17.0.101@node-3",
                                        "ns-44 egressIP 172.17.1.1@node-3", "ns-46 egressIP 172.17.0.200@node-4",
                                        "ns-47 egressIP 172.17.0.201@node-4", "ns-50 egressIP 172.17.2.100@node-5"));
  EXPECT_THAT(Codes(report), ElementsAre("info egress-ip-choice", "info egress-ip-choice"));
}

// What is on a node already stays, also where a network of another node holds it.
TEST(Sdn, WhatANodeHasByItsNetworkStays) {
  EXPECT_THAT(Told(Report({HostSubnetYaml(3, "172.17.0.100, 172.17.0.101", "172.17.0.0/24"),
                           HostSubnetYaml(4, "", "172.17.0.0/24"), NetNamespaceYaml(42, "172.17.0.100"),
                           NetNamespaceYaml(43, "172.17.0.101")})),
              ElementsAre("ns-42 egressIP 172.17.0.100@node-3", "ns-43 egressIP 172.17.0.101@node-3"));
}

TEST(Sdn, ANodeOutsideOfItsNetworksLosesAnAddressToAnother) {
  EXPECT_THAT(Told(Report({HostSubnetYaml(3, "172.17.0.103", "172.17.1.0/24"), HostSubnetYaml(4, "", "172.17.0.0/24"),
                           NetNamespaceYaml(48, "172.17.0.103")})),
              ElementsAre("ns-48 egressIP 172.17.0.103@node-4"));
}

TEST(Sdn, NetworksOfOtherNodesTakeOverFromAnOfflineOne) {
  const std::vector<std::string> objects = {
      HostSubnetYaml(3, "172.17.0.102, 172.17.1.202", "172.17.0.0/24, 172.17.1.0/24"),
      HostSubnetYaml(4, "172.17.0.100, 172.17.0.101", "172.17.0.0/24"),
      HostSubnetYaml(5, "172.17.1.200, 172.17.1.201", "172.17.1.0/24"),
      NetNamespaceYaml(100, "172.17.0.100"),
      NetNamespaceYaml(101, "172.17.0.101"),
      NetNamespaceYaml(102, "172.17.0.102"),
      NetNamespaceYaml(200, "172.17.1.200"),
      NetNamespaceYaml(201, "172.17.1.201"),
      NetNamespaceYaml(202, "172.17.1.202")};
  const EgressReport report = Report(objects, {"node-3"});
  EXPECT_THAT(report.nodes[0].egress_ips, IsEmpty());
  EXPECT_THAT(report.nodes[1].egress_ips, UnorderedElementsAre("172.17.0.100", "172.17.0.101", "172.17.0.102"));
  EXPECT_THAT(report.nodes[2].egress_ips, UnorderedElementsAre("172.17.1.200", "172.17.1.201", "172.17.1.202"));
  for (const NamespaceEgress& one : report.namespaces) EXPECT_EQ(one.decision, EgressDecision::kEgressIp) << one.name;
}

// A node that came back gets its share again.
TEST(Sdn, AnEmptyNodeGetsItsShare) {
  const EgressReport report =
      Report({HostSubnetYaml(3, "", "172.17.0.0/24"),
              HostSubnetYaml(4, "172.17.0.100, 172.17.0.101, 172.17.0.102, 172.17.0.103", "172.17.0.0/24"),
              NetNamespaceYaml(100, "172.17.0.100"), NetNamespaceYaml(101, "172.17.0.101"),
              NetNamespaceYaml(102, "172.17.0.102"), NetNamespaceYaml(103, "172.17.0.103")});
  EXPECT_EQ(report.nodes[0].egress_ips.size(), 2U);
  EXPECT_EQ(report.nodes[1].egress_ips.size(), 2U);
}

TEST(Sdn, ANamespaceGetsOneAddressOfANodeByNetworks) {
  const EgressReport report = Report({HostSubnetYaml(3, "", "172.17.0.0/24"), HostSubnetYaml(4, "", "172.17.0.0/24"),
                                      NetNamespaceYaml(42, "172.17.0.100, 172.17.0.101, 172.17.0.102")});
  ASSERT_EQ(report.namespaces.size(), 1U);
  EXPECT_EQ(report.namespaces[0].addresses.size(), 2U);
  EXPECT_EQ(report.nodes[0].egress_ips.size(), 1U);
  EXPECT_EQ(report.nodes[1].egress_ips.size(), 1U);
}

TEST(Sdn, AnInvalidEntryOfANodeTakesItsOthersAway) {
  for (const char* entry : {"172.17.0.300", "fd00::1", "x"}) {
    const EgressReport report =
        Report({HostSubnetYaml(3, fmt::format("172.17.0.100, \"{}\"", entry)), NetNamespaceYaml(42, "172.17.0.100")});
    EXPECT_THAT(Told(report), ElementsAre("ns-42 dropped")) << entry;
    EXPECT_THAT(Codes(report), Contains("error egress-ip-address")) << entry;
  }
  EXPECT_THAT(Codes(Report({HostSubnetYaml(3, "", "172.17.0.0/33"), NetNamespaceYaml(42, "")})),
              ElementsAre("error egress-ip-address"));
}

TEST(Sdn, AnInvalidRequestIsNoRequestForNothing) {
  const EgressReport report = Report({HostSubnetYaml(3, "172.17.0.100"), NetNamespaceYaml(42, "172.17.0")});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 dropped"));
  EXPECT_THAT(Codes(report), Contains("error egress-ip-address"));
}

TEST(Sdn, AKindOfObjectsThatWasForgotten) {
  const EgressReport nodes = Report({HostSubnetYaml(3, "")});
  EXPECT_THAT(nodes.namespaces, IsEmpty());
  ASSERT_THAT(Codes(nodes), ElementsAre("warning egress-ip-incomplete"));
  EXPECT_THAT(nodes.findings[0].message, HasSubstr("oc get netnamespaces"));
  const EgressReport namespaces = Report({NetNamespaceYaml(42, "172.17.0.100")});
  EXPECT_THAT(Told(namespaces), ElementsAre("ns-42 dropped"));
  ASSERT_THAT(Codes(namespaces), ElementsAre("warning egress-ip-incomplete", "warning egress-ip-unassigned"));
  EXPECT_THAT(namespaces.findings[0].message, HasSubstr("oc get hostsubnets"));
  EXPECT_THAT(Codes(Report({NetNamespaceYaml(42, "")})), IsEmpty());
}

// Joined projects have one NetID.
TEST(Sdn, NamespacesOfOneNetIdLeaveTogether) {
  std::string joined = NetNamespaceYaml(42, "172.17.0.100");
  joined.replace(joined.find("ns-42"), 5, "other");
  EXPECT_THAT(Told(Report({HostSubnetYaml(3, "172.17.0.100"), NetNamespaceYaml(42, "172.17.0.100"), joined})),
              ElementsAre("ns-42 egressIP 172.17.0.100@node-3", "other egressIP 172.17.0.100@node-3"));
  std::string unlike = NetNamespaceYaml(42, "");
  unlike.replace(unlike.find("ns-42"), 5, "other");
  EXPECT_THAT(Codes(Report({HostSubnetYaml(3, "172.17.0.100"), NetNamespaceYaml(42, "172.17.0.100"), unlike})),
              ElementsAre("warning egress-ip-overlap"));
}

TEST(Sdn, ANodeThatIsNotReadyIsOffline) {
  std::string node = NodeYaml("node-3", "");
  node.replace(node.find("\"True\""), 6, "Unknown");
  const EgressReport report = Report({HostSubnetYaml(3, "172.17.0.100"), HostSubnetYaml(4, "172.17.0.101"), node,
                                      NetNamespaceYaml(42, "172.17.0.100, 172.17.0.101")});
  EXPECT_THAT(Told(report), ElementsAre("ns-42 egressIP 172.17.0.101@node-4"));
  EXPECT_THAT(Codes(report), Contains("info egress-ip-offline"));
}

}  // namespace
}  // namespace prov::egressip
