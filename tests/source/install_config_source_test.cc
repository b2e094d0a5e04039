#include "provisioner/source/install_config_source.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kCluster =
    "apiVersion: v1\nbaseDomain: cluster.com\nmetadata:\n  name: test\nnetworking:\n"
    "  machineNetwork:\n  - cidr: 10.0.0.0/16\n  clusterNetwork:\n  - cidr: 10.128.0.0/14\n    hostPrefix: 23\n"
    "  serviceNetwork:\n  - 172.30.0.0/16\nplatform:\n  aws:\n    region: us-west-2\n";
constexpr const char* kProxyLines =
    "proxy:\n  httpProxy: http://p:1\n  httpsProxy: http://p:2\n  noProxy: 172.30.0.1, .foo.test.com,10.0.0.0/16\n";

// The operator's own example: what it would add is what is named.
TEST(InstallConfig, NamesWhatTheClusterWillAdd) {
  const auto config = MustRead(std::string(kCluster) + kProxyLines);
  EXPECT_EQ(config.no_proxy, "172.30.0.1, .foo.test.com,10.0.0.0/16") << "as it was written";
  EXPECT_THAT(MessageOf(config.findings, "no-proxy-incomplete"),
              HasSubstr(": 127.0.0.1, localhost, .svc, .cluster.local, 10.128.0.0/14, 172.30.0.0/16, "
                        "api-int.test.cluster.com, 169.254.169.254, .us-west-2.compute.internal; "));
}

TEST(InstallConfig, NamesInWordsWhatItDoesNotTell) {
  const auto config = MustRead("baseDomain: cluster.com\nplatform:\n  gcp: {}\nproxy:\n  httpProxy: http://p:1\n");
  EXPECT_THAT(MessageOf(config.findings, "no-proxy-incomplete"),
              HasSubstr("metadata.google.internal., the machine network, the cluster network, the service network, the "
                        "internal API server (api-int); "));
  const auto aws = MustRead("baseDomain: cluster.com\nplatform:\n  aws: {}\nproxy:\n  httpProxy: http://p:1\n");
  EXPECT_THAT(MessageOf(aws.findings, "no-proxy-incomplete"), HasSubstr("what the platform needs"));
}

TEST(InstallConfig, NothingIsMissingFromAStarOrACompleteList) {
  const auto star = MustRead(std::string(kCluster) + "proxy:\n  httpProxy: http://p:1\n  noProxy: \"*\"\n");
  EXPECT_THAT(star.findings, Not(HasCode("no-proxy-incomplete")));
  const auto complete = MustRead(std::string(kCluster) +
                                 "proxy:\n  httpProxy: http://p:1\n  noProxy: 127.0.0.1,localhost,.svc,.cluster.local,"
                                 "10.0.0.0/16,10.128.0.0/14,172.30.0.0/16,api-int.test.cluster.com,169.254.169.254,"
                                 ".us-west-2.compute.internal\n");
  EXPECT_THAT(complete.findings, Not(HasCode("no-proxy-incomplete")));
}

TEST(InstallConfig, WhatIsAbsentIsNoStatement) {
  const auto config = MustRead(kCluster);
  EXPECT_FALSE(config.proxy_file.present);
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_THAT(config.findings, HasCode("no-proxy-file"));
}

TEST(InstallConfig, BrokenOnesAreErrors) {
  const std::pair<std::string, std::string> rows[] = {
      {"proxy: {}\n", "invalid-config: must include httpProxy or httpsProxy ($.proxy)"},
      {"proxy:\n  noProxy: a\n", "invalid-config: must include httpProxy or httpsProxy"},
      {"proxy:\n  HTTPProxy: http://p:1\n", "invalid-config: must include httpProxy or httpsProxy"},
      {"proxy: http://p:1\n", "type: expected an object, found a string ($.proxy)"},
      {"proxy:\n  httpProxy: 3128\n", "type: expected a string, found an integer ($.proxy.httpProxy)"},
      {"additionalTrustBundlePolicy: proxyonly\n",
       "invalid-config: the policy \"proxyonly\" is neither Proxyonly nor Always ($.additionalTrustBundlePolicy)"},
      {"additionalTrustBundle: LS0tLS1CRUdJTg==\n", "cert: "},
      {"additionalTrustBundle: |\n  -----BEGIN CERTIFICATE-----\n  AAAA\n", "cert: "},
      {"additionalTrustBundle: 1\n", "type: "},
  };
  for (const auto& [text, failure] : rows)
    EXPECT_THAT(Failure(ReadText(std::string(kCluster) + text)), StartsWith(failure)) << text;
}

}  // namespace
}  // namespace prov::source
