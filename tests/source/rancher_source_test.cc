// The Cluster of Rancher as a document.
#include "provisioner/source/rancher_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Cluster(const std::string& variables, const std::string& rest = "") {
  return R"({"apiVersion":"provisioning.cattle.io/v1","kind":"Cluster","metadata":{"name":"c","namespace":"fleet-default"},"spec":{"agentEnvVars":[)" +
         variables + "]" + rest + "}}";
}
std::string EnvVar(std::string_view name, std::string_view value) {
  return fmt::format(R"({{"name":"{}","value":"{}"}})", name, value);
}

TEST(RancherCluster, ItsVariablesAreRead) {
  const auto config =
      MustRead(Cluster(EnvVar("HTTP_PROXY", "http://p:1") + "," + EnvVar("HTTPS_PROXY", "http://p:2\\r\\n") + "," +
                       EnvVar("NO_PROXY", ".svc,10.0.0.0/8") + "," + EnvVar("CATTLE_DEBUG", "true")));
  EXPECT_EQ(config.source.kind, "RancherCluster");
  EXPECT_EQ(config.source.name, "c");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://p:1");
  EXPECT_EQ(config.https_proxy->Reveal(), "http://p:2") << "Rancher drops the line's end";
  EXPECT_EQ(config.no_proxy, ".svc,10.0.0.0/8");
  EXPECT_EQ(config.proxy_file.path, "$.spec.agentEnvVars");
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_THAT(config.findings, AllOf(HasCode("no-trust-file"), Not(HasCode("not-read"))));
}

TEST(RancherCluster, LowerCaseCountsWhereUpperCaseSaysNothing) {
  EXPECT_EQ(MustRead(Cluster(EnvVar("http_proxy", "http://l:1"))).http_proxy->Reveal(), "http://l:1");
  EXPECT_EQ(MustRead(Cluster(R"({"name":"HTTP_PROXY"},)" + EnvVar("http_proxy", "http://l:1"))).http_proxy->Reveal(),
            "http://l:1");
  const auto same = MustRead(Cluster(EnvVar("no_proxy", "a") + "," + EnvVar("NO_PROXY", "a")));
  EXPECT_THAT(same.findings, Not(HasCode("env-lower-case")));
  const auto both = MustRead(Cluster(EnvVar("no_proxy", "a") + "," + EnvVar("NO_PROXY", "b")));
  EXPECT_EQ(both.no_proxy, "b");
  const auto found = std::ranges::find(both.findings, "env-lower-case", &Finding::code);
  ASSERT_NE(found, both.findings.end());
  EXPECT_EQ(found->where, "$.spec.agentEnvVars[0].value");
}

TEST(RancherCluster, AVariableWithoutAValueStatesThatThereIsNone) {
  const auto config = MustRead(Cluster(R"({"name":"HTTP_PROXY"},{"name":"NO_PROXY","value":null})"));
  EXPECT_TRUE(config.proxy_file.present);
  EXPECT_EQ(config.http_proxy->Reveal(), "");
  EXPECT_EQ(config.no_proxy, "");
  EXPECT_FALSE(config.https_proxy);
}

TEST(RancherCluster, AValueFromElsewhereIsNotAnEmptyOne) {
  const std::string from = R"({"name":"HTTP_PROXY","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}})";
  EXPECT_THAT(Failure(ReadText(Cluster(from))),
              AllOf(StartsWith("invalid-config: HTTP_PROXY is taken from another object (valueFrom)"),
                    HasSubstr("($.spec.agentEnvVars[0].valueFrom)")));
  const auto other = MustRead(Cluster(R"({"name":"http_proxy","valeu":"http://c4nary:1"},)" + EnvVar("NO_PROXY", "a")));
  EXPECT_THAT(MessageOf(other.findings, "not-read"), AllOf(HasSubstr("valeu of http_proxy"), Not(HasSubstr("c4nary"))));
  EXPECT_FALSE(egress::StatesProxy(other));
  EXPECT_TRUE(egress::StatesProxy(MustRead(Cluster(R"({"name":"HTTP_PROXY","valueFrom":null})"))));
}

TEST(RancherCluster, WithoutTheThreeItMakesNoStatement) {
  for (const std::string& text : {Cluster(""), Cluster(EnvVar("CATTLE_DEBUG", "true")),
                                  std::string(R"({"apiVersion":"provisioning.cattle.io/v1","kind":"Cluster"})")}) {
    EXPECT_THAT(Failure(ReadText(text)), AllOf(StartsWith("kind: "), HasSubstr("name none of"))) << text;
  }
}

TEST(RancherCluster, ErrorsNameThePlace) {
  EXPECT_EQ(Failure(ReadText(Cluster(EnvVar("A", "b") + R"(,{"name":"HTTP_PROXY","value":7})"))),
            "type: expected a string, found an integer ($.spec.agentEnvVars[1].value)");
  const auto twice = Failure(ReadText(Cluster(EnvVar("NO_PROXY", "c4nary-a") + "," + EnvVar("NO_PROXY", "c4nary-b"))));
  EXPECT_THAT(twice, AllOf(StartsWith("invalid-config: NO_PROXY is there twice"),
                           HasSubstr("($.spec.agentEnvVars[1].value)"), Not(HasSubstr("c4nary"))));
  EXPECT_EQ(MustRead(Cluster(EnvVar("NO_PROXY", "a") + "," + EnvVar("NO_PROXY", "a"))).no_proxy, "a");
}

TEST(RancherCluster, VariablesAboutTrustAndOtherProxiesAreNamed) {
  for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE", "ALL_PROXY"}) {
    const auto config = MustRead(Cluster(EnvVar("NO_PROXY", "a") + "," + EnvVar(name, "c4nary")));
    const auto found = std::ranges::find(config.findings, "not-read", &Finding::code);
    ASSERT_NE(found, config.findings.end()) << name;
    EXPECT_THAT(found->message, AllOf(HasSubstr(name), Not(HasSubstr("c4nary"))));
    EXPECT_EQ(found->where, "$.spec.agentEnvVars[1]");
    EXPECT_EQ(config.not_read.trust, std::string_view(name) != "ALL_PROXY") << name;
  }
}

// Clusters have members whose names speak of proxies and mean something else.
TEST(RancherCluster, OptionsOfItsDistributionAreNoProxies) {
  const auto config = MustRead(Cluster(
      EnvVar("NO_PROXY", "a"),
      R"(,"rkeConfig":{"machineGlobalConfig":{"disable-kube-proxy":true},"chartValues":{"rke2-cilium":{"kubeProxyReplacement":true}},"registries":{"mirrors":{"docker.io":{"endpoint":["https://m"]}}}})"));
  EXPECT_FALSE(config.not_read.proxy);
  EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr("registries"));
}

TEST(RancherCluster, OtherProjectsHaveAKindClusterToo) {
  for (const char* version : {"cluster.x-k8s.io/v1beta1", "management.cattle.io/v3"}) {
    const std::string text =
        fmt::format(R"({{"apiVersion":"{}","kind":"Cluster","spec":{{"agentEnvVars":[]}}}})", version);
    EXPECT_THAT(Failure(ReadText(text)), HasSubstr("also read are")) << version;
  }
}

}  // namespace
}  // namespace prov::source
