#include "provisioner/publish/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/publish/samples.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

ProxySpec ReadinessSpec() {
  ProxySpec out;
  out.values.http_proxy = Secret(std::string("http://u:") + kPassword + "@plain.example:3128");
  out.values.https_proxy = Secret(std::string("http://u:") + kPassword + "@proxy.example:3128");
  out.values.no_proxy = "quay.io";
  out.readiness_endpoints = {"https://quay.io"};
  return out;
}

Probe One(FakePorts& fake, const ProxySpec& spec = ReadinessSpec()) {
  return ProbeReadiness(spec, {}, fake.ports()).front();
}

TEST(Readiness, AsksThroughTheProxyWithTheBundleOnly) {
  FakePorts fake;
  ProxySpec spec = ReadinessSpec();
  spec.readiness_endpoints.emplace_back("http://a.example/x");
  const auto roots = testing_support::SampleCertificates();
  const auto probes = ProbeReadiness(spec, roots, fake.ports());
  ASSERT_THAT(probes, SizeIs(2));
  EXPECT_TRUE(probes[0].ok && probes[1].ok);
  EXPECT_EQ(probes[0].via, "http://u:***@proxy.example:3128");
  EXPECT_EQ(probes[1].via, "http://u:***@plain.example:3128");
  EXPECT_EQ(probes[0].tries, 1);
  EXPECT_EQ(fake.requests[0].url, "https://quay.io") << "noProxy doesn't count";
  EXPECT_EQ(fake.requests[0].proxy_url, spec.values.https_proxy);
  EXPECT_EQ(fake.requests[1].proxy_url, spec.values.http_proxy);
  EXPECT_EQ(fake.requests[0].roots.size(), roots.size());
  EXPECT_THAT(fake.waited, SizeIs(0));
}

TEST(Readiness, TriesThreeTimesASecondApart) {
  FakePorts fake;
  fake.answers = {503, Fail(Code::kNetwork, "connection refused"), 200};
  EXPECT_TRUE(One(fake).ok);
  EXPECT_THAT(fake.waited, ElementsAre(1000, 1000));
  fake.waited.clear();
  fake.answers = {503};
  const Probe failed = One(fake);
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.tries, 3);
  EXPECT_THAT(fake.waited, ElementsAre(1000, 1000));
}

TEST(Readiness, TheOperatorsWords) {
  FakePorts fake;
  fake.answers = {403};
  EXPECT_EQ(One(fake).error,
            "endpoint probe failed with statuscode '403' for endpoint 'https://quay.io' using proxy "
            "'http://u:***@proxy.example:3128' ");
  fake.answers = {Fail(Code::kTls, "the certificate is not trusted")};
  EXPECT_EQ(One(fake).error,
            "endpoint probe failed for endpoint 'https://quay.io' using proxy 'http://u:***@proxy.example:3128': the "
            "certificate is not trusted");
}

TEST(Readiness, WhichAnswersAreGood) {
  for (const auto& [status, good] :
       {std::pair(199, false), std::pair(200, true), std::pair(302, true), std::pair(399, true), std::pair(400, false),
        std::pair(407, false), std::pair(500, false)}) {
    FakePorts fake;
    fake.answers = {status};
    EXPECT_EQ(One(fake).ok, good) << status;
  }
}

TEST(Readiness, EndsWithTheFirstThatFailsAndWhenAskedTo) {
  FakePorts fake;
  ProxySpec spec = ReadinessSpec();
  spec.readiness_endpoints = {"https://a", "https://b"};
  fake.answers = {500};
  fake.goes_on = false;
  EXPECT_THAT(ProbeReadiness(spec, {}, fake.ports()), SizeIs(1));
  EXPECT_THAT(fake.requests, SizeIs(1)) << "Ctrl-C while it waits";
  spec.readiness_endpoints.assign(1000, "https://a");
  fake.answers = {200};
  EXPECT_THAT(ProbeReadiness(spec, {}, fake.ports()), SizeIs(20));
}

}  // namespace
}  // namespace prov::publish
