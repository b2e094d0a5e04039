// What publish refuses, restricts to the owner or only reports, because it would do harm or mislead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/publish/publishing.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

PublishRequest ProbeRequest() {
  PublishRequest out = Full();
  out.proxy.bytes += "  readinessEndpoints:\n  - https://quay.io\n";
  out.probe = true;
  out.render = false;
  return out;
}

TEST(Publish, Probes) {
  FakePorts fake;
  PublishRequest request = ProbeRequest();
  request.render = true;
  const auto publication = Publish(request, fake.ports());
  ASSERT_TRUE(publication && publication->valid());
  ASSERT_EQ(fake.requests.size(), 1U);
  EXPECT_EQ(fake.requests[0].roots.size(), 2U) << "the user's and the system's";
  fake.answers = {403};
  const auto failed = Publish(std::move(request), fake.ports());
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->valid());
  EXPECT_THAT(failed->files, IsEmpty());
  EXPECT_THAT(failed->errors[0], HasSubstr("statuscode '403'"));
}

// With one of them alone a probe would fail that succeeds for the operator, which trusts both.
TEST(Publish, AProbeNeedsBothBundlesWhereTheProxyNamesOne) {
  PublishRequest request = ProbeRequest();
  request.system_ca.reset();
  Error error = ErrorOf(std::move(request));
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("--probe needs --system-ca where spec.trustedCA is set"));
  request = ProbeRequest();
  request.user_ca.reset();
  EXPECT_THAT(ErrorOf(std::move(request)).message, HasSubstr("--probe needs --user-ca where"));
  FakePorts fake;
  request = Request(ProxyYaml("  httpProxy: http://p:1\n  readinessEndpoints:\n  - https://quay.io\n"));
  request.probe = true;
  const auto without = Publish(std::move(request), fake.ports());
  ASSERT_TRUE(without && without->valid());
  ASSERT_EQ(fake.requests.size(), 1U);
  EXPECT_TRUE(fake.requests[0].roots.empty()) << "what this system trusts";
}

TEST(Publish, ARedirectOfAnEndpointIsReported) {
  FakePorts fake;
  fake.answers = {302};
  const auto publication = Publish(ProbeRequest(), fake.ports());
  ASSERT_TRUE(publication && publication->valid());
  EXPECT_THAT(publication->findings, ElementsAre(Field(&Finding::code, "probe-redirect")));
}

TEST(Publish, AnEmptySystemBundleIsRefused) {
  for (const char* bytes : {"", " \n", "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: trusted-ca-bundle\n",
                            "kind: ConfigMap\napiVersion: v1\ndata:\n  ca-bundle.crt: \"\"\n"}) {
    PublishRequest request = Full();
    request.system_ca->bytes = bytes;
    const Error error = ErrorOf(std::move(request));
    EXPECT_EQ(error.code, Code::kCert) << bytes;
    EXPECT_THAT(error.message, HasSubstr("holds no certificate")) << bytes;
  }
}

}  // namespace
}  // namespace prov::publish
