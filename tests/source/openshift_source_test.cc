#include "provisioner/source/openshift_source.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Controller(const std::string& spec) {
  return R"({"apiVersion":"machineconfiguration.openshift.io/v1","kind":"ControllerConfig","metadata":{"name":"machine-config-controller"},"spec":{)" +
         spec + "}}";
}

TEST(ControllerConfig, NullAndEmptyAreTheExplicitEmpty) {
  for (const char* spec :
       {R"("proxy":null,"additionalTrustBundle":null)", R"("proxy":{},"additionalTrustBundle":"")"}) {
    const auto config = MustRead(Controller(spec));
    EXPECT_TRUE(config.proxy_file.present);
    EXPECT_TRUE(config.trust_file.present);
    EXPECT_TRUE(config.certificates.empty());
    EXPECT_FALSE(config.http_proxy);
  }
}

TEST(ControllerConfig, WhatIsAbsentIsNoStatement) {
  const auto config = MustRead(Controller(R"("osImageURL":"x")"));
  EXPECT_FALSE(config.proxy_file.present);
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_THAT(config.findings, HasCode("no-proxy-file"));
  EXPECT_THAT(config.findings, HasCode("no-trust-file"));
}

TEST(ControllerConfig, BrokenOnesAreErrors) {
  const std::string packed = EncodeBase64(Pem("corporate-root"));
  const auto bundle = [](const std::string& text) { return Controller(R"("additionalTrustBundle":")" + text + "\""); };
  EXPECT_EQ(Failure(ReadText(R"({"kind":"ControllerConfig"})")),
            "no-config: the ControllerConfig has no spec ($.spec)");
  EXPECT_THAT(Failure(ReadText(bundle(packed.substr(0, packed.size() - 3)))),
              StartsWith("cert: the trust bundle is not base64: byte "));
  EXPECT_THAT(Failure(ReadText(bundle(packed.substr(0, packed.size() / 8 * 4)))),
              StartsWith("cert: the trust bundle is damaged"));
  EXPECT_THAT(Failure(ReadText(bundle(Escaped(Pem("corporate-root"))))),
              StartsWith("cert: the trust bundle is not base64: it is PEM text as it stands"));
  EXPECT_THAT(Failure(ReadText(bundle(EncodeBase64("<html>503</html>")))),
              StartsWith("cert: no certificate is in the trust bundle"));
  EXPECT_EQ(Failure(ReadText(Controller(R"("proxy":"http://p:1")"))),
            "type: expected an object, found a string ($.spec.proxy)");
  EXPECT_EQ(Failure(ReadText(Controller(R"("additionalTrustBundle":{})"))),
            "type: expected a string, found an object ($.spec.additionalTrustBundle)");
}

TEST(ControllerConfig, Base64WithLineEndsIsRead) {
  std::string packed = EncodeBase64(Pem("corporate-root"));
  for (std::size_t at = 76; at < packed.size(); at += 78) packed.insert(at, "\\n");
  const auto config = MustRead(Controller(R"("proxy":null,"additionalTrustBundle":")" + packed + "\\n\""));
  EXPECT_EQ(config.certificates.size(), 1U);
  EXPECT_THAT(config.findings, Not(HasCode("no-proxy-file")));
}

std::string Proxy(const std::string& rest) {
  return R"({"apiVersion":"config.openshift.io/v1","kind":"Proxy","metadata":{"name":"cluster"},)" + rest + "}";
}

// A Proxy that trusts `name`, and ConfigMaps in YAML.
std::string WithMaps(const std::string& name, const std::vector<std::string>& maps) {
  std::string out = Proxy(R"("spec":{"trustedCA":{"name":")" + name + R"("}},"status":{"httpProxy":"http://p:1"})");
  for (const std::string& map : maps) out += "\n---\n" + map;
  return "---\n" + out + "\n";
}

TEST(ProxyObject, AStatusThatDiffersFromTheSpecIsReported) {
  for (const char* spec : {R"({"httpProxy":"http://new:1"})", "{}"}) {
    const auto config =
        MustRead(Proxy(std::string(R"("spec":)") + spec + R"(,"status":{"httpProxy":"http://old:1","httpsProxy":""})"));
    EXPECT_EQ(config.http_proxy->Reveal(), "http://old:1");
    EXPECT_FALSE(config.https_proxy) << "in a cluster's objects, empty means unset";
    EXPECT_THAT(config.findings, HasCode("proxy-status-differs"));
  }
}

TEST(ProxyObject, TheSpecStandsInForAnEmptyStatus) {
  for (const char* status : {R"(,"status":{})", R"(,"status":null)", "", R"(,"status":{"httpProxy":""})"}) {
    const auto config = MustRead(Proxy(std::string(R"("spec":{"httpsProxy":"http://p:1","noProxy":"a,b"})") + status));
    EXPECT_EQ(config.https_proxy->Reveal(), "http://p:1");
    EXPECT_EQ(config.proxy_file.path, "$.spec");
    EXPECT_THAT(config.findings, HasCode("proxy-not-accepted"));
    EXPECT_THAT(config.findings, HasCode("no-proxy-incomplete"));
  }
  const auto all = ReadText(Proxy(R"("spec":{"httpsProxy":"http://p:1","noProxy":"*"})"));
  EXPECT_THAT(all->findings, Not(HasCode("no-proxy-incomplete"))) << "nothing is added to *";
}

TEST(ProxyObject, BothEmptyIsTheExplicitEmpty) {
  const auto config = MustRead(Proxy(R"("spec":{"trustedCA":{"name":""}},"status":{})"));
  EXPECT_TRUE(config.proxy_file.present);
  EXPECT_FALSE(config.http_proxy || config.https_proxy || config.no_proxy);
  EXPECT_FALSE(config.trust_file.present) << "user-ca-bundle may be there all the same";
}

TEST(ProxyObject, BrokenOnesAreNoEmptyOnes) {
  EXPECT_EQ(Failure(ReadText(R"({"kind":"Proxy"})")), "invalid-config: the Proxy has neither spec nor status ($)");
  EXPECT_EQ(Failure(ReadText(Proxy(R"("status":{"httpProxy":1})"))),
            "type: expected a string, found an integer ($.status.httpProxy)");
  EXPECT_EQ(Failure(ReadText(Proxy(R"("status":[])"))), "type: expected an object, found an array ($.status)");
  EXPECT_EQ(Failure(ReadText(Proxy(R"("status":{"noProxy":["a"]})"))),
            "type: expected a string, found an array ($.status.noProxy)");
  EXPECT_THAT(Failure(ReadText(Proxy(R"("status":{"noProxy":"a","noProxy":""})"))),
              StartsWith("invalid-config: the key \"noProxy\" occurs twice"));
}

TEST(ProxyTrust, NodesGetTheUserBundleAndTheNamedOne) {
  const auto config = MustRead(WithMaps("corporate", {ConfigMapYaml("corporate", Pem("proxy-root")),
                                                      ConfigMapYaml("user-ca-bundle", Pem("corporate-root"))}));
  ASSERT_EQ(config.certificates.size(), 2U);
  EXPECT_THAT(config.certificates[0].subject, HasSubstr("Root CA")) << "user-ca-bundle first";
  EXPECT_EQ(config.trust_file.path, "$[2].data[\"ca-bundle.crt\"] and $[1].data[\"ca-bundle.crt\"]");
}

TEST(ProxyTrust, WithoutANameOnlyTheUserBundle) {
  const auto config = MustRead(WithMaps(
      "", {ConfigMapYaml("user-ca-bundle", Pem("corporate-root")), ConfigMapYaml("other", Pem("proxy-root"))}));
  EXPECT_EQ(config.certificates.size(), 1U);
}

TEST(ProxyTrust, AConfigMapThatIsNotThereIsNoStatement) {
  for (const std::vector<std::string>& maps :
       std::vector<std::vector<std::string>>{{},
                                             {ConfigMapYaml("user-ca-bundle", Pem("corporate-root"))},
                                             {ConfigMapYaml("corporate", Pem("corporate-root"), "default")}}) {
    const auto config = MustRead(WithMaps("corporate", maps));
    EXPECT_FALSE(config.trust_file.present) << "a part of the certificates must not count as all of them";
    EXPECT_THAT(config.findings, HasCode("no-trust-config-map"));
  }
}

TEST(ProxyTrust, TheNamedOneAloneIsReported) {
  const auto named = MustRead(WithMaps("corporate", {ConfigMapYaml("corporate", Pem("proxy-root"))}));
  EXPECT_EQ(named.certificates.size(), 1U);
  EXPECT_THAT(MessageOf(named.findings, "no-user-ca-bundle"),
              StartsWith("nodes also get openshift-config/user-ca-bundle where there is one"));
  const auto both = ReadText(WithMaps("corporate", {ConfigMapYaml("corporate", Pem("proxy-root")),
                                                    ConfigMapYaml("user-ca-bundle", Pem("corporate-root"))}));
  EXPECT_THAT(both->findings, Not(HasCode("no-user-ca-bundle")));
  const auto user = ReadText(WithMaps("user-ca-bundle", {ConfigMapYaml("user-ca-bundle", Pem("corporate-root"))}));
  EXPECT_THAT(user->findings, Not(HasCode("no-user-ca-bundle")));
  EXPECT_THAT(MessageOf(ReadText(WithMaps("corporate", {}))->findings, "no-trust-config-map"),
              HasSubstr("the Proxy, this ConfigMap and user-ca-bundle, where there is one, into one file"));
}

TEST(ProxyTrust, TwoOfOneNameAreRefused) {
  EXPECT_THAT(Failure(ReadText(WithMaps("corporate", {ConfigMapYaml("corporate", Pem("proxy-root")),
                                                      ConfigMapYaml("corporate", Pem("corporate-root"))}))),
              StartsWith("not-found: several ConfigMaps are called \"corporate\""));
}

TEST(ProxyTrust, AMergedBundleStandsInAndIsReported) {
  const auto merged = MustRead(
      WithMaps("corporate", {ConfigMapYaml("trusted-ca-bundle", Pem("proxy-root"), "openshift-config-managed")}));
  EXPECT_EQ(merged.certificates.size(), 1U);
  EXPECT_THAT(MessageOf(merged.findings, "system-roots"), HasSubstr("--subtract"));
  const auto both = MustRead(WithMaps("corporate", {ConfigMapYaml("trusted-ca-bundle", Pem("proxy-root")),
                                                    ConfigMapYaml("corporate", Pem("corporate-root"))}));
  EXPECT_THAT(both.findings, Not(HasCode("system-roots"))) << "the user's own is better";
}

TEST(ConfigMaps, AreReadAsTheClusterReadsThem) {
  const std::string pem = Pem("corporate-root");
  const std::string base64 = EncodeBase64(pem);
  std::string wrapped;
  for (std::size_t at = 0; at < base64.size(); at += 76) wrapped += base64.substr(at, 76) + "\\r\\n";
  const std::string map = R"({"kind":"ConfigMap","metadata":{"name":"x"},)";
  for (const std::string& text :
       {map + R"("data":{"ca-bundle.crt":")" + Escaped(pem) + R"("}})",
        map + R"("data":{"ca-bundle.crt":")" + base64 + R"("}})",
        map + R"("data":{"ca-bundle.crt":")" + base64 + R"(\n"}})",
        map + R"("data":{"ca-bundle.crt":")" + wrapped + R"("}})",
        map + R"("binaryData":{"ca-bundle.crt":")" + base64 + R"("},"data":{"ca-bundle.crt":"-"}})"}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.certificates.size(), 1U);
  }
}

TEST(ConfigMaps, BrokenOnesAreErrors) {
  const std::string map = R"({"kind":"ConfigMap","metadata":{"name":"x"},)";
  const std::pair<std::string, std::string> rows[] = {
      {R"("data":{}})", "invalid-config: the ConfigMap \"x\" is missing \"ca-bundle.crt\" ($.data)"},
      {R"("data":{"ca.crt":"x"}})", "invalid-config: the ConfigMap \"x\" is missing"},
      {R"("data":{"ca-bundle.crt":""}})", "cert: the trust bundle holds no certificate"},
      {R"("data":{"ca-bundle.crt":"# none\n"}})", "cert: the trust bundle holds no certificate"},
      {R"("data":{"ca-bundle.crt":"<html></html>"}})", "cert: no certificate is in the trust bundle"},
      {R"("data":{"ca-bundle.crt":7}})", "type: expected a string, found an integer ($.data[\"ca-bundle.crt\"])"},
      {R"("binaryData":{"ca-bundle.crt":"LS0t!"}})", "cert: the trust bundle is not base64: byte 5 of 5"},
      {R"("data":[]})", "type: expected an object, found an array ($.data)"},
  };
  for (const auto& [rest, failure] : rows) EXPECT_THAT(Failure(ReadText(map + rest)), StartsWith(failure)) << rest;
}

TEST(ConfigMaps, OfSeveralTheOneThatIsMeant) {
  const std::string root = Pem("corporate-root");
  const auto user = MustRead(ConfigMapYaml("a", Pem("proxy-root")) + "---\n" + ConfigMapYaml("user-ca-bundle", root));
  EXPECT_EQ(user.source.name, "user-ca-bundle");
  const std::string two = ConfigMapYaml("a", root) + "---\n" + ConfigMapYaml("b", root);
  EXPECT_THAT(Failure(ReadText(two)), StartsWith("not-found: 2 ConfigMaps hold ca-bundle.crt"));
  const auto named = MustRead(two, {.pool = "worker", .name = "b"});
  EXPECT_EQ(named.source.name, "b");
  const std::string same = ConfigMapYaml("b", root, "other") + "---\n" + two;
  EXPECT_THAT(Failure(ReadText(same, {.pool = "worker", .name = "b"})),
              StartsWith("not-found: several ConfigMaps are called \"b\""));
  const std::string users =
      ConfigMapYaml("user-ca-bundle", root) + "---\n" + ConfigMapYaml("user-ca-bundle", Pem("proxy-root"), "other");
  EXPECT_THAT(Failure(ReadText(users)), StartsWith("not-found: several ConfigMaps are called \"user-ca-bundle\""));
}

}  // namespace
}  // namespace prov::source
