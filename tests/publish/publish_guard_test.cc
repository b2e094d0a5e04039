// What publish refuses, restricts to the owner or only reports, because it would do harm or mislead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/publish/publishing.h"

namespace prov::publish {
namespace {

using testing::Contains;
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

constexpr const char* kLabelled =
    "kind: ConfigMap\nmetadata:\n  labels:\n    config.openshift.io/inject-trusted-cabundle: \"true\"\n"
    "data:\n  ca-bundle.crt: old\n";

TEST(Publish, AConfigMapIsNeverEmptied) {
  PublishRequest request = Request(ProxyYaml("  httpProxy: http://p:1\n"));
  request.render = true;
  request.inject.push_back({kLabelled, "map.yaml"});
  const Error error = ErrorOf(std::move(request));
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("give --system-ca"));
}

// A workload that needs nothing more still holds the proxy's password, beside a ConfigMap that changes.
TEST(Publish, WhatHoldsASecretIsSecretWhateverWasInjected) {
  const std::string workload =
      "---\nkind: Deployment\nmetadata:\n  annotations:\n    config.openshift.io/inject-proxy: m\nspec:\n  template:\n"
      "    spec:\n      containers:\n      - name: m\n";
  PublishRequest first = Full();
  first.inject.push_back({kLabelled + workload, "all.yaml"});
  const std::string whole = Files(Published(std::move(first)))["all.yaml"].bytes;
  PublishRequest second = Full();
  second.system_ca->bytes = Pem("corporate-intermediate");  // rotated
  second.inject.push_back({whole, "all.yaml"});
  const PublishedFile again = Files(Published(std::move(second)))["all.yaml"];
  ASSERT_THAT(again.bytes, HasSubstr(kPassword));
  EXPECT_NE(again.bytes, whole);
  EXPECT_TRUE(again.secret);

  const auto is_secret = [](const NamedBytes& file) {
    PublishRequest request = Full();
    request.inject.push_back(file);
    return Files(Published(std::move(request)))[file.where].secret;
  };
  const std::string map = kLabelled;
  EXPECT_FALSE(is_secret({map, "a.yaml"}));
  EXPECT_TRUE(is_secret({map + "---\nkind: Secret\nstringData:\n  a: b\n", "a.yaml"}));
  EXPECT_TRUE(is_secret({map + "  url: see http://token@host/x\n", "a.yaml"}));
  EXPECT_FALSE(is_secret({map + "  image: quay.io/a@sha256:00\n  url: http://host/ a@b\n", "a.yaml"}));
  EXPECT_TRUE(is_secret({map, "a.yaml", true})) << "others could not read what it was made of";
}

TEST(Publish, AFileThatNeedsNothingIsWrittenAsItIs) {
  const std::string text = "# mine\nkind:   Pod\nspec: {hostNetwork: yes}\n";
  PublishRequest request = Full();
  request.inject.push_back({text, "in/pod.yaml"});
  const Publication publication = Published(std::move(request));
  EXPECT_THAT(publication.findings, Contains(Field(&Finding::code, "inject-nothing")));
  EXPECT_EQ(Files(publication)["pod.yaml"].bytes, text);
}

}  // namespace
}  // namespace prov::publish
