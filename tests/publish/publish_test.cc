#include "provisioner/publish/publish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/environment_file.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/publish/proxy_env.h"
#include "tests/publish/publishing.h"
#include "tests/support/finding_codes.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::publish {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// PROVISIONER_WRITE_GOLDEN=1 writes them anew.
void ExpectGolden(const std::string& name, const std::string& bytes) {
  const std::string path = testing_support::TestsFolder() + "/golden/publish/" + name;
  if (std::getenv("PROVISIONER_WRITE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(testing_support::ReadAll(path), bytes) << name;
}

TEST(Publish, TheFilesAreTheGoldenOnes) {
  PublishRequest request = Full();
  const Publication publication = Published(std::move(request));
  EXPECT_THAT(publication.errors, IsEmpty());
  std::vector<std::string> names;
  for (const PublishedFile& file : publication.files) {
    names.push_back(file.name);
    ExpectGolden(file.name, file.bytes);
  }
  EXPECT_THAT(names, ElementsAre("ca-bundle.crt", "trusted-ca-bundle.yaml", "proxy.env", "proxy.yaml"))
      << "the status is last";
}

TEST(Publish, ThePasswordIsOnlyWhereItMustBe) {
  PublishRequest request = Full();
  const Publication publication = Published(std::move(request));
  for (const PublishedFile& file : publication.files) {
    const bool holds = file.bytes.find(kPassword) != std::string::npos;
    EXPECT_EQ(holds, file.name == "proxy.env" || file.name == "proxy.yaml") << file.name;
    EXPECT_EQ(file.secret, holds) << file.name;
  }
  for (const Finding& finding : publication.findings)
    EXPECT_THAT(finding.message + finding.where, Not(HasSubstr(kPassword)));
}

TEST(Publish, WithoutCredentialsNothingIsSecret) {
  PublishRequest request = Request(ProxyYaml("  httpProxy: http://proxy.example.com:3128\n"));
  request.render = true;
  for (const PublishedFile& file : Published(request).files) EXPECT_FALSE(file.secret) << file.name;
  for (const std::string url : {"http://token@p:1", "http://u:p@p:1", "http://p:1?token=x"}) {
    request.proxy.bytes = ProxyYaml("  httpProxy: " + url + "\n");
    EXPECT_TRUE(Files(Published(request))["proxy.env"].secret) << url;
  }
}

TEST(Publish, WhatIsWrittenReadsBackAsTheStatus) {
  const Publication publication = Published(Full());
  auto files = Files(publication);
  Findings findings;
  const auto variables = Must(egress::ParseEnvironmentFile(files["proxy.env"].bytes, "proxy.env", findings));
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables[0].value, publication.status.http_proxy);
  EXPECT_EQ(variables[1].value, publication.status.https_proxy);
  EXPECT_EQ(variables[2].value.Reveal(), publication.status.no_proxy);
  EXPECT_EQ(pki::ParseTrustBundle(files["ca-bundle.crt"].bytes, "b", findings)->size(), 2U);
  PublishRequest again = Request(files["proxy.yaml"].bytes);
  again.user_ca = NamedBytes{UserBundle(), "u"};
  EXPECT_EQ(Published(std::move(again)).status, publication.status);
  PublishRequest merged = Full();  // the ConfigMap as a source of its own
  merged.user_ca->bytes = files["trusted-ca-bundle.yaml"].bytes;
  merged.proxy.bytes = ProxyYaml("  httpProxy: http://p:1\n  trustedCA:\n    name: trusted-ca-bundle\n");
  const auto twice = Published(std::move(merged));
  EXPECT_THAT(twice.errors, IsEmpty());
  EXPECT_THAT(twice.findings, Not(Contains(Field(&Finding::code, "trusted-ca-namespace"))));
}

TEST(Publish, ProxyEnvIsWhatNodesGet) {
  EXPECT_EQ(ToHex(Sha256(RenderProxyEnv({}))), "8bc0010be0478515e0a5c2024d736f297d5d165334a7b2086dc028306eccc649");
  const std::string header = RenderProxyEnv({});
  EXPECT_EQ(RenderProxyEnv({Secret("h"), Secret("s"), "n"}), header + "HTTP_PROXY=h\nHTTPS_PROXY=s\nNO_PROXY=n\n");
  EXPECT_EQ(RenderProxyEnv({Secret(), Secret("s"), "*"}), header + "HTTPS_PROXY=s\nNO_PROXY=*\n");
}

TEST(Publish, WhatProxyEnvCannotCarryIsReported) {
  const auto codes = [](const ProxyValues& values) {
    Findings findings;
    ReviewProxyEnv(RenderProxyEnv(values), values, findings);
    return findings.size();
  };
  EXPECT_EQ(codes({Secret("http://u:%24a'b;c#d@p:1"), Secret(), "a"}), 0U);
  EXPECT_EQ(codes({Secret("http://p:1/\\"), Secret("http://p"), ""}), 2U) << "a backslash takes the next line";
  EXPECT_EQ(codes({Secret(), Secret("http://p"), " a,b"}), 1U);
  EXPECT_EQ(codes({Secret(), Secret("http://p"), "a,\nb"}), 1U);
}

TEST(Publish, AnEmptySpecHasAnEmptyStatus) {
  PublishRequest request = Request(ProxyYaml("  {}\n") + "status:\n  httpProxy: http://old:1\n  noProxy: old\n");
  request.render = true;
  const Publication publication = Published(std::move(request));
  EXPECT_TRUE(publication.valid());
  EXPECT_EQ(publication.status, ProxyValues());
  EXPECT_EQ(Files(publication)["proxy.yaml"].bytes.find("old"), std::string::npos) << "the old status goes";
  EXPECT_THAT(Files(publication)["proxy.yaml"].bytes, HasSubstr("status: {}\n"));
}

TEST(Publish, AnInvalidSpecKeepsTheOldStatusAndWritesNothing) {
  PublishRequest request = Request(ProxyYaml("  noProxy: a\n") + "status:\n  httpProxy: http://old:1\n");
  request.render = request.probe = true;
  FakePorts fake;
  const auto publication = Must(Publish(std::move(request), fake.ports()));
  EXPECT_THAT(publication.errors, ElementsAre("httpProxy or httpsProxy must be set when using proxy"));
  EXPECT_EQ(publication.status.http_proxy.Reveal(), "http://old:1");
  EXPECT_THAT(publication.files, IsEmpty());
  EXPECT_THAT(fake.requests, IsEmpty());
}

TEST(Publish, ABadBundleOrNetworkIsAnErrorOfTheSpec) {
  PublishRequest request = Full();
  request.user_ca->bytes = "kind: ConfigMap\nmetadata:\n  name: user-ca-bundle\n";
  EXPECT_THAT(Published(std::move(request)).errors,
              ElementsAre(R"(ConfigMap "user-ca-bundle" is missing "ca-bundle.crt")"));
  request = Full();
  request.network.bytes = "apiVersion: config.openshift.io/v1\nkind: Network\nmetadata:\n  name: cluster\nstatus: {}\n";
  EXPECT_THAT(Published(std::move(request)).errors,
              ElementsAre("serviceNetwork missing from network 'cluster' status"));
  request = Full();
  request.install_config->bytes = "kind: ConfigMap\ndata: {}\n";
  EXPECT_THAT(Published(std::move(request)).errors, ElementsAre("missing install-config in configmap"));
}

std::vector<std::string> PublishedCodes(PublishRequest request) {
  return testing_support::CodesOf(Published(std::move(request)).findings);
}

// Of a request that is right but for one thing.
using Change = void (*)(PublishRequest&);
PublishRequest Changed(Change change) {
  PublishRequest out = Full();
  change(out);
  return out;
}

TEST(Publish, DoubtsAreFindings) {
  const std::pair<const char*, Change> rows[] = {
      {"install-config-missing", [](auto& r) { r.install_config.reset(); }},
      {"system-ca-missing", [](auto& r) { r.system_ca.reset(); }},
      // An indented block, which the operator passes over.
      {"trust-bundle", [](auto& r) { r.user_ca->bytes = UserBundle(Pem("corporate-root") + " " + Pem("proxy-root")); }},
      {"private-key",
       [](auto& r) {
         r.user_ca->bytes =
             UserBundle(Pem("corporate-root") + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
       }},
      {"user-ca-unused",
       [](auto& r) {
         r.user_ca->bytes = Pem("corporate-root");
         r.proxy.bytes = ProxyYaml("  httpProxy: http://p:1\n");
       }},
      {"trusted-ca-missing", [](auto& r) { r.user_ca.reset(), r.render = false; }},
      {"not-probed", [](auto& r) { r.proxy.bytes += "  readinessEndpoints:\n  - https://quay.io\n"; }},
  };
  for (const auto& [code, change] : rows) EXPECT_THAT(PublishedCodes(Changed(change)), Contains(code)) << code;
  EXPECT_THAT(PublishedCodes(Changed(
                  [](auto& r) { r.infrastructure.bytes = InfrastructureYaml("  platformStatus:\n    type: AWS\n"); })),
              ElementsAre("region-missing"));
  EXPECT_THAT(PublishedCodes(Full()), IsEmpty());
}

TEST(Publish, AHostedControlPlaneIsToldAndItsPublicFormIsAnOption) {
  PublishRequest request = Full();
  request.infrastructure.bytes = InfrastructureYaml("  controlPlaneTopology: External\n");
  EXPECT_THAT(PublishedCodes(request), ElementsAre("hosted-control-plane"));
  EXPECT_THAT(Published(request).status.no_proxy, HasSubstr(",api-int.test.cluster.com,"));
  request.internal_apiserver_address = true;
  EXPECT_THAT(PublishedCodes(request), IsEmpty()) << "nor is the API server missed in the list";
  const std::string list = Published(request).status.no_proxy;
  EXPECT_THAT(list, HasSubstr(".hypershift.local"));
  EXPECT_THAT(list, Not(HasSubstr("api-int")));
  // The object need not say that it is hosted.
  request = Full();
  request.internal_apiserver_address = true;
  EXPECT_THAT(Published(request).status.no_proxy, HasSubstr(".hypershift.local"));
  // The operator's two switches are not one: one that says it is not hosted gets what PROXY_INTERNAL_APISERVER_ADDRESS
  // alone gives.
  request.infrastructure.bytes = InfrastructureYaml("  controlPlaneTopology: HighlyAvailable\n");
  const std::string alone = Published(request).status.no_proxy;
  EXPECT_THAT(alone, Not(HasSubstr("hypershift")));
  EXPECT_THAT(alone, Not(HasSubstr("api-int")));
}

TEST(Publish, APrivateKeyIsNeverWritten) {
  PublishRequest request = Full();
  const std::string key = "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n";
  request.user_ca->bytes = UserBundle(key + Pem("corporate-root"));
  request.system_ca->bytes += key;
  for (const PublishedFile& file : Published(std::move(request)).files)
    EXPECT_THAT(file.bytes, Not(HasSubstr("c2VjcmV0"))) << file.name;
}

TEST(Publish, WrongInputsAreErrorsOfTheirFile) {
  const Error other_group = ErrorOf(Changed([](PublishRequest& r) {
    r.network.bytes = "apiVersion: operator.openshift.io/v1\nkind: Network\nmetadata:\n  name: cluster\n";
  }));
  EXPECT_EQ(other_group.code, Code::kKind);
  EXPECT_EQ(other_group.where, "network.yaml");
  EXPECT_THAT(other_group.message, HasSubstr("Network of config.openshift.io"));
  const std::pair<Code, Change> rows[] = {
      {Code::kInvalidConfig,
       [](auto& r) {
         r.network.bytes =
             R"({"apiVersion":"config.openshift.io/v1","kind":"Network","status":{"serviceNetwork":["10.0.0.0/8"],)"
             R"("clusterNetwork":[{"cidr":"10.0.0.0/8","cidr":"11.0.0.0/8"}]}})";
       }},
      {Code::kKind, [](auto& r) { std::swap(r.proxy.bytes, r.infrastructure.bytes); }},
      {Code::kJson, [](auto& r) { r.proxy.bytes = std::string(100'001, '['); }},
      {Code::kYaml, [](auto& r) { r.infrastructure.bytes = "a: ["; }},
      {Code::kCert, [](auto& r) { r.system_ca->bytes = "<html>"; }},
      {Code::kNotFound, [](auto& r) { r.user_ca.reset(); }},  // files can't be right without it
      {Code::kNotFound, [](auto& r) { r.user_ca->bytes = "kind: ConfigMap\nmetadata:\n  name: other\n"; }},
  };
  for (const auto& [code, change] : rows) EXPECT_EQ(ErrorOf(Changed(change)).code, code) << InfoOf(code).name;
}

TEST(Publish, AListHoldsTheObjectThatIsNamedCluster) {
  PublishRequest request = Full();
  request.network.bytes =
      "kind: List\napiVersion: v1\nitems:\n- kind: Network\n  apiVersion: config.openshift.io/v1\n  metadata:\n    "
      "name: a\n"
      "- kind: Network\n  apiVersion: config.openshift.io/v1\n  metadata:\n    name: cluster\n  status:\n    "
      "serviceNetwork: [172.30.0.0/16]\n"
      "    clusterNetwork:\n    - cidr: 10.128.0.0/14\n";
  EXPECT_TRUE(Published(std::move(request)).valid());
  request = Full();
  request.network.bytes = "kind: List\nitems: []\n";
  EXPECT_EQ(ErrorOf(std::move(request)).code, Code::kKind);
}

TEST(Publish, HugeListsEndInTime) {
  std::string list = "a";
  for (int i = 0; i < 250'000; ++i) list += ",a" + std::to_string(i % 50'000);
  PublishRequest request =
      Request(ProxyYaml("  httpProxy: http://p:1\n  noProxy: " + list.substr(0, 1'000'000) + "b\n"));
  EXPECT_TRUE(Published(std::move(request)).valid());
  request = Full();
  request.proxy.bytes = R"({"kind":"Proxy","a":[)";
  for (int i = 0; i < 500'000; ++i) request.proxy.bytes += "1,";
  request.proxy.bytes += "1]}";
  EXPECT_EQ(ErrorOf(std::move(request)).code, Code::kTooLarge);
}

}  // namespace
}  // namespace prov::publish
