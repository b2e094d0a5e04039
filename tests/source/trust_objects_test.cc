// ConfigMaps and ClusterTrustBundles as sources: certificates, and nothing about the proxy.
#include "provisioner/source/trust_objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A ConfigMap with these members of `data`, in JSON.
std::string Map(const std::string& data, const std::string& rest = "") {
  return R"({"kind":"ConfigMap","metadata":{"name":"corporate","namespace":"trust"},"data":{)" + data + "}" + rest +
         "}";
}
std::string Key(const std::string& name, const std::string& sample) {
  return fmt::format(R"("{}":"{}")", name, Escaped(Pem(sample)));
}
const std::string kPrivateKey = R"("tls.key":"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")";

TEST(TrustConfigMap, TheOnlyKeyWithCertificatesIsRead) {
  for (const std::string& text : {Map(Key("trust-bundle.pem", "proxy-root")),
                                  Map(Key("root.pem", "proxy-root") + R"(,"note":"see the wiki",)" + kPrivateKey),
                                  Map("", R"(,"binaryData":{"bundle.pem":")" + EncodeBase64(Pem("proxy-root")) +
                                              R"(","bundle.p12":"MIIB","x":"!"})")}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.certificates.size(), 1U) << text;
    EXPECT_FALSE(config.not_read.trust) << text;
  }
}

TEST(TrustConfigMap, TheUsualKeyComesBeforeOthers) {
  const auto config = MustRead(Map(Key("a.pem", "corporate-root") + "," + Key("ca-bundle.crt", "proxy-root")));
  ASSERT_EQ(config.certificates.size(), 1U);
  EXPECT_EQ(config.certificates[0].source, "$.data[\"ca-bundle.crt\"]");
  EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr("a.pem"));
  EXPECT_TRUE(config.not_read.trust);
}

TEST(TrustConfigMap, TheKeysAreNamedWhereNoneOrSeveralHoldCertificates) {
  EXPECT_THAT(Failure(ReadText(Map(R"("ca.crt":"nothing","b":"")"))),
              AllOf(StartsWith("invalid-config: "), HasSubstr("missing \"ca-bundle.crt\"; its keys are: ca.crt, b")));
  EXPECT_THAT(Failure(ReadText(Map(kPrivateKey))), HasSubstr("its keys are: tls.key"));
  EXPECT_THAT(Failure(ReadText(Map(Key("a.pem", "proxy-root") + "," + Key("b.pem", "corporate-root")))),
              AllOf(HasSubstr("in several keys: a.pem, b.pem"), HasSubstr("NAMESPACE/NAME:KEY")));
  std::string many;
  for (int i = 0; i < 30; ++i) many += fmt::format(R"({}"k{}":"x")", i == 0 ? "" : ",", i);
  EXPECT_THAT(Failure(ReadText(Map(many))), HasSubstr("k19 and 10 more"));
}

TEST(TrustConfigMap, ANamedKeyIsReadAlone) {
  const auto document =
      ParseJson(Map(Key("ca-bundle.crt", "proxy-root") + "," + Key("b.pem", "corporate-root")), {}).value();
  const ConfigMap map = ReadConfigMapHead(ObjectView::Of(document->root(), "$").value()).value();
  const auto read = Must(ReadConfigMap(map, "b.pem"));
  ASSERT_EQ(read.trust.size(), 1U);
  EXPECT_EQ(read.trust[0].bytes, Pem("corporate-root"));
  EXPECT_FALSE(read.config.not_read.trust) << "who names a key has left the others out";
  const Error none = ErrorIn(ReadConfigMap(map, "c.pem"));
  EXPECT_THAT(none.message, HasSubstr("missing \"c.pem\"; its keys are: ca-bundle.crt, b.pem"));
}

TEST(TrustConfigMap, OfSeveralThoseWithTheUsualKeyCount) {
  const std::string other =
      R"({"kind":"ConfigMap","metadata":{"name":"kube-root-ca.crt"},"data":{)" + Key("ca.crt", "corporate-root") + "}}";
  const auto list = [&](const std::string& map) { return R"({"kind":"List","items":[)" + other + "," + map + "]}"; };
  EXPECT_EQ(MustRead(list(Map(Key("ca-bundle.crt", "proxy-root")))).source.name, "corporate");
  const std::string both = list(Map(Key("trust.pem", "proxy-root")));
  EXPECT_THAT(Failure(ReadText(both)),
              HasSubstr("2 ConfigMaps hold certificates: kube-root-ca.crt, corporate; say with --name"));
  EXPECT_EQ(MustRead(both, {.pool = "worker", .name = "corporate"}).certificates.size(), 1U);
}

// Nothing is removed: neither says a word about the proxy.
TEST(TrustObjects, MakeNoStatementAboutTheProxy) {
  for (const std::string& text :
       {Map(Key("ca-bundle.crt", "proxy-root")),
        R"({"kind":"ClusterTrustBundle","spec":{"trustBundle":")" + Escaped(Pem("proxy-root")) + "\"}}"}) {
    const auto config = MustRead(text);
    EXPECT_FALSE(egress::StatesProxy(config)) << text;
    EXPECT_FALSE(config.proxy_file.present) << text;
    EXPECT_TRUE(config.trust_file.present) << text;
    EXPECT_THAT(config.findings, HasCode("no-proxy-file")) << text;
  }
}

std::string Bundle(const std::string& name, const std::string& trust) {
  return fmt::format(
      R"({{"apiVersion":"certificates.k8s.io/v1beta1","kind":"ClusterTrustBundle","metadata":{{"name":"{}"}},"spec":{{"signerName":"example.com/signer","trustBundle":"{}"}}}})",
      name, trust);
}

TEST(ClusterTrustBundle, ItsCertificatesAreRead) {
  const auto config = MustRead(Bundle("example.com:signer:a", Escaped(Pem("proxy-root") + Pem("corporate-root"))));
  EXPECT_EQ(config.source.kind, "ClusterTrustBundle");
  EXPECT_EQ(config.source.name, "example.com:signer:a");
  EXPECT_EQ(config.certificates.size(), 2U);
  EXPECT_EQ(config.trust_file.path, "$.spec.trustBundle");
  EXPECT_THAT(config.findings, Not(HasCode("not-read")));
}

TEST(ClusterTrustBundle, BrokenOnesAreNoEmptyOnes) {
  EXPECT_EQ(Failure(ReadText(R"({"kind":"ClusterTrustBundle","spec":{}})")),
            "invalid-config: the ClusterTrustBundle has no spec.trustBundle, which holds the certificates "
            "($.spec.trustBundle)");
  EXPECT_THAT(Failure(ReadText(Bundle("a", ""))), StartsWith("cert: the trust bundle holds no certificate"));
  EXPECT_THAT(Failure(ReadText(R"({"kind":"ClusterTrustBundle","spec":{"trustBundle":7}})")), StartsWith("type: "));
}

TEST(ClusterTrustBundle, SeveralWantAName) {
  const std::string pem = Escaped(Pem("proxy-root"));
  const std::string two = R"({"kind":"List","items":[)" + Bundle("a", pem) + "," + Bundle("b", pem) + "]}";
  EXPECT_THAT(Failure(ReadText(two)),
              StartsWith("not-found: 2 objects ClusterTrustBundle are there: a, b; say with --name"));
  EXPECT_EQ(MustRead(two, {.pool = "worker", .name = "b"}).source.name, "b");
}

}  // namespace
}  // namespace prov::source
