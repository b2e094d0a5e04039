// HyperShift's HostedCluster as a document, with the ConfigMaps that it names.
#include "provisioner/source/hosted_cluster_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::Not;

// In YAML, with this spec in JSON and these ConfigMaps behind it.
std::string Hosted(const std::string& spec, const std::vector<std::string>& maps = {}) {
  std::string out =
      R"({"apiVersion":"hypershift.openshift.io/v1beta1","kind":"HostedCluster","metadata":{"name":"one","namespace":"clusters"},"spec":)" +
      spec + ",\"status\":{\"conditions\":[]}}";
  for (const std::string& map : maps) out += "\n---\n" + map;
  return "---\n" + out + "\n";
}
std::string WithProxy(const std::string& proxy) { return R"({"configuration":{"proxy":)" + proxy + "}}"; }

TEST(HostedCluster, ItsProxyIsWhatAPersonWrote) {
  const auto config =
      MustRead(Hosted(WithProxy(R"({"httpProxy":"http://p:1","httpsProxy":"http://p:2","noProxy":"a.example.com"})")));
  EXPECT_EQ(config.source.kind, "HostedCluster");
  EXPECT_EQ(config.source.name, "one");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://p:1");
  EXPECT_EQ(config.https_proxy->Reveal(), "http://p:2");
  EXPECT_EQ(config.no_proxy, "a.example.com");
  EXPECT_EQ(config.proxy_file.path, "$.spec.configuration.proxy");
  EXPECT_THAT(MessageOf(config.findings, "no-proxy-incomplete"), HasSubstr("HyperShift adds"));
  EXPECT_FALSE(config.trust_file.present) << "it names no bundle";
  EXPECT_THAT(config.findings, HasCode("no-trust-file"));
  EXPECT_THAT(config.findings, Not(HasCode("not-read")));
  EXPECT_THAT(MustRead(Hosted(WithProxy(R"({"httpProxy":"http://p:1","noProxy":"*"})"))).findings,
              Not(HasCode("no-proxy-incomplete")))
      << "nothing counts beside *";
}

TEST(HostedCluster, AbsenceIsNoStatementAndAnEmptyProxyIsOne) {
  for (const char* spec : {"{}", R"({"configuration":{}})", R"({"configuration":null})"}) {
    const auto config = MustRead(Hosted(spec));
    EXPECT_FALSE(config.proxy_file.present) << spec;
    EXPECT_THAT(config.findings, HasCode("no-proxy-file")) << spec;
  }
  for (const char* proxy : {"{}", "null", R"({"httpProxy":"","trustedCA":{"name":""}})"}) {
    const auto config = MustRead(Hosted(WithProxy(proxy)));
    EXPECT_TRUE(config.proxy_file.present) << proxy;
    EXPECT_FALSE(config.http_proxy || config.https_proxy || config.no_proxy) << proxy;
    EXPECT_THAT(config.findings, Not(HasCode("no-proxy-incomplete"))) << proxy;
  }
  EXPECT_EQ(Failure(ReadText(R"({"kind":"HostedCluster"})")), "invalid-config: the HostedCluster has no spec ($.spec)");
  EXPECT_EQ(Failure(ReadText(R"({"kind":"HostedCluster","spec":{"configuration":{"proxy":"http://p:1"}}})")),
            "type: expected an object, found a string ($.spec.configuration.proxy)");
}

const std::string kTwoMaps =
    R"({"additionalTrustBundle":{"name":"mine"},"configuration":{"proxy":{"httpProxy":"http://p:1","trustedCA":{"name":"proxys"}}}})";

TEST(HostedCluster, ItsCertificatesAreThoseOfBothConfigMaps) {
  const auto config = MustRead(Hosted(kTwoMaps, {ConfigMapYaml("mine", Pem("corporate-root"), "clusters"),
                                                 ConfigMapYaml("proxys", Pem("proxy-root"), "clusters")}));
  EXPECT_EQ(config.certificates.size(), 2U);
  EXPECT_TRUE(config.trust_file.present);
  const std::string one =
      R"({"additionalTrustBundle":{"name":"mine"},"configuration":{"proxy":{"trustedCA":{"name":"mine"}}}})";
  EXPECT_EQ(MustRead(Hosted(one, {ConfigMapYaml("mine", Pem("proxy-root"), "clusters")})).certificates.size(), 1U);
}

// Half of them would take the other half from the nodes.
TEST(HostedCluster, AConfigMapThatIsNotThereIsNamedAndNothingIsStated) {
  const auto config = MustRead(Hosted(kTwoMaps, {ConfigMapYaml("mine", Pem("corporate-root"), "clusters"),
                                                 ConfigMapYaml("proxys", Pem("proxy-root"), "another")}));
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_TRUE(config.certificates.empty());
  EXPECT_THAT(MessageOf(config.findings, "no-trust-config-map"), HasSubstr("\"proxys\""));
  EXPECT_EQ(config.http_proxy->Reveal(), "http://p:1") << "the rest counts";
}

TEST(HostedCluster, ItsMirrorsAreReadAndWhatIsNotReadIsNamed) {
  const auto config = MustRead(Hosted(
      R"({"imageContentSources":[{"source":"quay.io/org","mirrors":["m.example.com/org"]}],"configuration":{"proxy":{},"image":{"additionalTrustedCA":{"name":"r"}}}})"));
  EXPECT_EQ(config.mirrors.registries.size(), 1U);
  EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr("additionalTrustedCA"));
  EXPECT_TRUE(config.not_read.trust);
}

TEST(HostedCluster, TheConfigOfAPoolCountsBeforeIt) {
  const auto config =
      MustRead(R"({"kind":"List","items":[{"kind":"Proxy","spec":{},"status":{"httpProxy":"http://p:1"}},)"
               R"({"kind":"HostedCluster","spec":{"configuration":{"proxy":{}}}}]})");
  EXPECT_EQ(config.source.kind, "Proxy");
  EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr("HostedCluster"));
}

}  // namespace
}  // namespace prov::source
