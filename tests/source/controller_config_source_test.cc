#include "provisioner/source/controller_config_source.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::Not;
using testing::StartsWith;

std::string Controller(const std::string& spec) {
  return R"({"apiVersion":"machineconfiguration.openshift.io/v1","kind":"ControllerConfig","metadata":{"name":"machine-config-controller"},"spec":{)" +
         spec + "}}";
}

TEST(ControllerConfig, HoldsBoth) {
  const auto config = ReadText(
      Controller(R"("proxy":{"httpProxy":"http://p:1","httpsProxy":"","noProxy":".svc"},"additionalTrustBundle":")" +
                 EncodeBase64(Pem("corporate-root") + Pem("proxy-root")) + "\""));
  ASSERT_TRUE(config) << Failure(config);
  EXPECT_EQ(config->source.name, "machine-config-controller");
  EXPECT_EQ(config->http_proxy->Reveal(), "http://p:1");
  EXPECT_FALSE(config->https_proxy);
  EXPECT_EQ(config->no_proxy, ".svc");
  EXPECT_EQ(config->certificates.size(), 2U);
  EXPECT_EQ(config->proxy_file.path, "$.spec.proxy");
  EXPECT_EQ(config->trust_file.path, "$.spec.additionalTrustBundle");
}

TEST(ControllerConfig, NullAndEmptyAreTheExplicitEmpty) {
  for (const char* spec :
       {R"("proxy":null,"additionalTrustBundle":null)", R"("proxy":{},"additionalTrustBundle":"")"}) {
    const auto config = ReadText(Controller(spec));
    ASSERT_TRUE(config) << Failure(config);
    EXPECT_TRUE(config->proxy_file.present);
    EXPECT_TRUE(config->trust_file.present);
    EXPECT_TRUE(config->certificates.empty());
    EXPECT_FALSE(config->http_proxy);
  }
}

TEST(ControllerConfig, WhatIsAbsentIsNoStatement) {
  const auto config = ReadText(Controller(R"("osImageURL":"x")"));
  ASSERT_TRUE(config) << Failure(config);
  EXPECT_FALSE(config->proxy_file.present);
  EXPECT_FALSE(config->trust_file.present);
  EXPECT_THAT(config->findings, HasCode("no-proxy-file"));
  EXPECT_THAT(config->findings, HasCode("no-trust-file"));
}

TEST(ControllerConfig, BrokenOnesAreErrors) {
  const std::string packed = EncodeBase64(Pem("corporate-root"));
  const auto bundle = [](const std::string& text) { return Controller(R"("additionalTrustBundle":")" + text + "\""); };
  EXPECT_EQ(Failure(ReadText(R"({"kind":"ControllerConfig"})")),
            "no-config: the ControllerConfig has no spec ($.spec)");
  EXPECT_THAT(Failure(ReadText(bundle(packed.substr(0, packed.size() - 3)))),
              StartsWith("cert: the trust bundle is no base64: byte "));
  EXPECT_THAT(Failure(ReadText(bundle(packed.substr(0, packed.size() / 8 * 4)))),
              StartsWith("cert: the trust bundle is damaged"));
  EXPECT_THAT(Failure(ReadText(bundle(Escaped(Pem("corporate-root"))))),
              StartsWith("cert: the trust bundle is no base64: it is PEM text as it stands"));
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
  const auto config = ReadText(Controller(R"("proxy":null,"additionalTrustBundle":")" + packed + "\\n\""));
  ASSERT_TRUE(config) << Failure(config);
  EXPECT_EQ(config->certificates.size(), 1U);
  EXPECT_THAT(config->findings, Not(HasCode("no-proxy-file")));
}

}  // namespace
}  // namespace prov::source
