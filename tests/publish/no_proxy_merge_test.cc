#include "provisioner/publish/no_proxy_merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "provisioner/base/text.h"
#include "provisioner/source/document_source.h"
#include "tests/publish/samples.h"

namespace prov::publish {
namespace {

Infrastructure InfrastructureOf(const std::string& platform_status) {
  const auto object = ReadObject(InfrastructureYaml(platform_status), "i", "Infrastructure", "config.openshift.io");
  return *ReadInfrastructure(ViewOf(*object));
}

Network SampleNetwork() {
  return *ReadNetwork(ViewOf(*ReadObject(NetworkYaml(), "n", "Network", "config.openshift.io")));
}

std::expected<std::string, std::string> Merge(const std::string& platform_status, const std::string& user = "",
                                              const std::string& install_config = InstallConfigYaml()) {
  return MergeNoProxy(user, InfrastructureOf(platform_status), SampleNetwork(),
                      *ReadInstallConfig(install_config, "c"));
}

std::string Platform(const std::string& type, const std::string& more = "") {
  return "  platformStatus:\n    type: " + type + "\n" + more;
}

constexpr const char* kPlain =
    ".cluster.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,172.30.0.0/16,api-int.test.cluster.com,localhost";
constexpr const char* kWithMetadata =
    ".cluster.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,169.254.169.254,172.30.0.0/"
    "16,api-int.test.cluster.com,localhost";

TEST(NoProxyMerge, EachPlatform) {
  EXPECT_EQ(*Merge(Platform("AWS", "    aws:\n      region: us-west-2\n")),
            ".cluster.local,.svc,.us-west-2.compute.internal,10.0.0.0/16,10.128.0.0/14,127.0.0.1,169.254.169.254,"
            "172.30.0.0/16,api-int.test.cluster.com,localhost");
  EXPECT_EQ(*Merge(Platform("AWS", "    aws:\n      region: us-east-1\n")),
            ".cluster.local,.ec2.internal,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,169.254.169.254,172.30.0.0/16,"
            "api-int.test.cluster.com,localhost");
  EXPECT_EQ(*Merge(Platform("GCP")),
            std::string(kWithMetadata) + ",metadata,metadata.google.internal,metadata.google.internal.");
  EXPECT_EQ(*Merge(Platform("Azure", "    azure:\n      cloudName: AzurePublicCloud\n")), kWithMetadata);
  const std::string government =
      ".cluster.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,168.63.129.16,169.254.169.254,172.30.0.0/16,"
      "api-int.test.cluster.com,localhost";
  EXPECT_EQ(*Merge(Platform("Azure", "    azure:\n      cloudName: AzureUSGovernmentCloud\n")), government);
  EXPECT_EQ(*Merge(Platform("Azure")), government) << "no name of a cloud";
  EXPECT_EQ(*Merge(Platform(
                "Azure",
                "    azure:\n      cloudName: AzureStackCloud\n      armEndpoint: https://management.stack.example\n")),
            ".cluster.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,168.63.129.16,169.254.169.254,172.30.0.0/16,"
            "api-int.test.cluster.com,https://management.stack.example,localhost");
  EXPECT_EQ(*Merge(Platform("OpenStack")), kWithMetadata);
  for (const char* other : {"VSphere", "BareMetal", "None", "Nutanix", "IBMCloud", "PowerVS", "External"})
    EXPECT_EQ(*Merge(Platform(other)), kPlain) << other;
  EXPECT_EQ(*Merge(""), kPlain) << "no platformStatus";
}

TEST(NoProxyMerge, TheUsersItemsAreSortedInAndKeptAsTheyAre) {
  EXPECT_EQ(*Merge(Platform("AWS", "    aws:\n      region: us-west-2\n"), "172.30.0.1,.foo.test.com,199.161.0.0/16"),
            ".cluster.local,.foo.test.com,.svc,.us-west-2.compute.internal,10.0.0.0/16,10.128.0.0/14,127.0.0.1,"
            "169.254.169.254,172.30.0.0/16,172.30.0.1,199.161.0.0/16,api-int.test.cluster.com,localhost");
  EXPECT_EQ(*Merge("", "localhost,10.0.0.0/16,localhost"), kPlain) << "each once";
  EXPECT_EQ(Merge("", "a.com, b.com")->substr(0, 8), " b.com,.") << "blanks are kept and sort first";
  EXPECT_EQ(*Merge("", "*"), "*");
}

TEST(NoProxyMerge, MachineNetworks) {
  const auto with = [](const std::string& networking) { return Merge("", "", "networking:\n" + networking); };
  EXPECT_NE(with("  machineCIDR: 192.168.0.0/24\n")->find(",192.168.0.0/24,"), std::string::npos);
  EXPECT_EQ(with("  machineCIDR: 0.0.0.0/0\n")->find("0.0.0.0/0"), std::string::npos);
  EXPECT_EQ(with("  machineNetwork:\n  - cidr: 0.0.0.0/0\n")->find("0.0.0.0/0"), std::string::npos);
  EXPECT_NE(with("  machineNetwork:\n  - cidr: ::/0\n")->find("::/0"), std::string::npos);
  EXPECT_EQ(with("  machineCIDR: 10.0.0.0\n").error(), "MachineCIDR has an invalid CIDR: 10.0.0.0");
  EXPECT_EQ(with("  machineNetwork:\n  - cidr: x\n").error(), "MachineNetwork has an invalid CIDR: x");
  EXPECT_TRUE(MergeNoProxy("", InfrastructureOf(""), SampleNetwork(), std::nullopt));
}

TEST(NoProxyMerge, WhatIsMissingIsSaidInTheOperatorsWords) {
  const auto config = *ReadInstallConfig(InstallConfigYaml(), "c");
  Infrastructure infrastructure = InfrastructureOf("");
  Network network = SampleNetwork();
  const auto error = [&] { return MergeNoProxy("", infrastructure, network, config).error(); };
  network.cluster_networks.clear();
  EXPECT_EQ(error(), "clusterNetwork missing from network `cluster` status");
  network.service_networks.clear();
  EXPECT_EQ(error(), "serviceNetwork missing from network 'cluster' status");
  infrastructure.api_internal_url = "https://api-int.^&:6443%zz";
  EXPECT_EQ(error(), "failed to parse internal api server internal url");
  infrastructure.api_internal_url.clear();
  EXPECT_EQ(error(), "internal api server url missing from infrastructure config 'cluster'");
  EXPECT_EQ(*Merge(Platform("AWS")), kWithMetadata) << "no region is no error, and adds nothing";
}

TEST(NoProxyMerge, AHostedControlPlane) {
  EXPECT_EQ(*Merge("  controlPlaneTopology: External\n"),
            ".cluster.local,.hypershift.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,172.30.0.0/16,"
            "api-int.test.cluster.com,localhost");
}

// PROXY_INTERNAL_APISERVER_ADDRESS=true: the operator does not even look at the URL.
TEST(NoProxyMerge, AHostedControlPlaneThatIsReachedThroughTheProxy) {
  Infrastructure infrastructure = InfrastructureOf("  controlPlaneTopology: External\n");
  infrastructure.api_by_proxy = true;
  const auto merged = [&] {
    return MergeNoProxy("", infrastructure, SampleNetwork(), *ReadInstallConfig(InstallConfigYaml(), "c"));
  };
  const char* const expected =
      ".cluster.local,.hypershift.local,.svc,10.0.0.0/16,10.128.0.0/14,127.0.0.1,172.30.0.0/16,localhost";
  EXPECT_EQ(*merged(), expected);
  EXPECT_EQ(FactsOf(infrastructure, SampleNetwork()).api_host, "");
  for (const char* url : {"", "https://api-int.^&:6443%zz"}) {
    infrastructure.api_internal_url = url;
    EXPECT_EQ(*merged(), expected) << url;
  }
}

TEST(NoProxyMerge, AnInstallConfigMayBeInItsConfigMap) {
  const std::string wrapped =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cluster-config-v1\ndata:\n  install-config: |\n" +
      Indented(InstallConfigYaml(), 4);
  const auto config = ReadInstallConfig(wrapped, "c");
  ASSERT_TRUE(config && *config);
  EXPECT_EQ((*config)->machine_networks, std::vector<std::string>{"10.0.0.0/16"});
  EXPECT_FALSE(ReadInstallConfig("kind: ConfigMap\ndata:\n  other: x\n", "c")->has_value());
  EXPECT_EQ(ReadInstallConfig("kind: ConfigMap\ndata:\n  install-config: '['\n", "c").error().code, Code::kJson);
}

// Two readers of one fact: what the cluster adds, told from its objects and from the install-config.
TEST(NoProxyMerge, AnInstallConfigNamesWhatIsMerged) {
  const std::pair<std::string, std::string> rows[] = {
      {"  aws:\n    region: us-west-2\n", Platform("AWS", "    aws:\n      region: us-west-2\n")},
      {"  aws:\n    region: us-east-1\n", Platform("AWS", "    aws:\n      region: us-east-1\n")},
      {"  gcp: {}\n", Platform("GCP")},
      {"  azure: {}\n", Platform("Azure", "    azure:\n      cloudName: AzurePublicCloud\n")},
      {"  azure:\n    cloudName: AzureUSGovernmentCloud\n",
       Platform("Azure", "    azure:\n      cloudName: AzureUSGovernmentCloud\n")},
      {"  azure:\n    cloudName: AzureStackCloud\n    armEndpoint: https://arm.example\n",
       Platform("Azure", "    azure:\n      cloudName: AzureStackCloud\n      armEndpoint: https://arm.example\n")},
      {"  openstack: {}\n", Platform("OpenStack")},
      {"  none: {}\n", Platform("None")},
  };
  for (const auto& [platform, status] : rows) {
    for (const char* machines : {"  machineNetwork:\n  - cidr: 10.0.0.0/16\n  - cidr: ::/0\n",
                                 "  machineCIDR: 10.9.0.0/16\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n",
                                 "  machineNetwork:\n  - cidr: 0.0.0.0/0\n"}) {
      const std::string config =
          std::string("baseDomain: cluster.com\nmetadata:\n  name: test\nnetworking:\n") + machines +
          "  clusterNetwork:\n  - cidr: 10.128.0.0/14\n  serviceNetwork:\n  - 172.30.0.0/16\nplatform:\n" + platform +
          "proxy:\n  httpProxy: http://p:1\n";
      const auto read = source::ReadDocument(config, "c", {}, nullptr);
      ASSERT_TRUE(read) << read.error().message;
      const auto finding = std::ranges::find(read->findings, "no-proxy-incomplete", &Finding::code);
      ASSERT_NE(finding, read->findings.end());
      const std::size_t start = finding->message.find("add to it: ") + 11;
      const std::string list = finding->message.substr(start, finding->message.find(';') - start);
      std::set<std::string> named;
      for (const std::string_view entry : Split(list, ',')) named.emplace(TrimBlanks(entry));
      const auto merged = Merge(status, "", config);
      ASSERT_TRUE(merged) << merged.error();
      std::set<std::string> expected;
      for (const std::string_view entry : Split(*merged, ',')) expected.emplace(entry);
      EXPECT_EQ(named, expected) << config;
    }
  }
}

TEST(NoProxyMerge, FactsForTheReview) {
  const egress::ClusterFacts facts = FactsOf(InfrastructureOf(Platform("GCP")), SampleNetwork());
  EXPECT_EQ(facts.api_host, "api-int.test.cluster.com");
  EXPECT_EQ(facts.metadata_address, "169.254.169.254");
  EXPECT_EQ(facts.service_ranges, std::vector<std::string>{"172.30.0.0/16"});
}

}  // namespace
}  // namespace prov::publish
