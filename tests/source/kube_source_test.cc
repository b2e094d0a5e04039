#include "provisioner/source/kube_source.h"

#include <fmt/format.h>

#include <filesystem>

#include "tests/source/document_helpers.h"
#include "tests/source/kube_helpers.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::SizeIs;

class Kube : public KubeTest {
 protected:
  Kube() {
    cluster_.objects[std::string(kPools) + "/worker"] = Pool(kSampleName);
    cluster_.objects[Config(kSampleName)] = testing_support::SampleText("rendered-worker.json");
  }
  static std::string Config(std::string_view name) { return fmt::format("{}/{}", kConfigs, name); }
  Result<egress::EgressConfig> Read(const std::string& source = "kube:///worker") {
    return ReadKube(Request(source), cluster_.Ports(), Nowhere());
  }
  Error Refused(const std::string& source = "kube:///worker") {
    const auto read = Read(source);
    EXPECT_FALSE(read);
    if (read) return {};
    ExpectNoSecret(read.error());
    EXPECT_FALSE(read.error().message.ends_with('.'));
    return read.error();
  }
  static bool Has(const egress::EgressConfig& config, std::string_view code) {
    return std::ranges::any_of(config.findings, [&](const Finding& f) { return f.code == code; });
  }
};

TEST_F(Kube, ThePoolLeadsToItsRenderedConfig) {
  const auto read = Must(Read());
  EXPECT_EQ(read.source.name, kSampleName);
  EXPECT_EQ(read.certificates.size(), 3U);
  EXPECT_TRUE(read.http_proxy);
  EXPECT_THAT(cluster_.Paths(), ElementsAre(std::string(kPools) + "/worker", Config(kSampleName)));
  EXPECT_EQ(cluster_.asked[1].bearer_token->Reveal(), kToken);
  EXPECT_THAT(cluster_.asked[1].roots, SizeIs(1));
}

TEST_F(Kube, AConfigIsReadByItsName) {
  Must(Read(fmt::format("kube:///machineconfig/{}", kSampleName)));
  EXPECT_THAT(cluster_.Paths(), ElementsAre(Config(kSampleName)));
}

TEST_F(Kube, AConfigThatWasReplacedMeanwhileIsLookedUpAgain) {
  cluster_.script = {FakeCluster::Says(200, Pool("rendered-worker-old"))};
  ASSERT_TRUE(Read());
  EXPECT_THAT(cluster_.Paths(), SizeIs(4));
  cluster_.objects[std::string(kPools) + "/worker"] = Pool("rendered-worker-lost");
  EXPECT_EQ(Refused().code, Code::kNotFound);
}

TEST_F(Kube, APausedPoolIsTold) {
  const auto paused = [&](std::string_view wanted) {
    cluster_.objects[std::string(kPools) + "/worker"] =
        Pool(kSampleName, "7", fmt::format(R"({{"paused":true,"configuration":{{"name":"{}"}}}})", wanted));
    return Has(*Read(), "pool-paused");
  };
  EXPECT_TRUE(paused("rendered-worker-next"));
  EXPECT_FALSE(paused(kSampleName));
}

TEST_F(Kube, APoolWithoutAConfigIsAnError) {
  for (const char* body : {R"({"status":{}})", R"({"status":{"configuration":{"name":""}}})", R"({"status":7})"}) {
    cluster_.objects[std::string(kPools) + "/worker"] = body;
    EXPECT_EQ(Refused().code, Code::kNotFound) << body;
  }
  cluster_.objects[std::string(kPools) + "/worker"] = Pool("../../secrets/x");
  EXPECT_EQ(Refused().code, Code::kType);
  cluster_.objects[std::string(kPools) + "/worker"] = "[]";
  EXPECT_EQ(Refused().code, Code::kType);
  cluster_.objects[std::string(kPools) + "/worker"] = "<html>";
  EXPECT_EQ(Refused().code, Code::kJson);
}

TEST_F(Kube, RefusalsSayWhatToDo) {
  cluster_.script.assign(
      2,
      FakeCluster::Says(
          403, R"({"kind":"Status","message":"User \"system:serviceaccount:a:b\" cannot get resource","code":403})"));
  Error error = Refused();
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, AllOf(HasSubstr("system:serviceaccount:a:b"), HasSubstr("ClusterRole"),
                                   HasSubstr(R"(apiGroups ["machineconfiguration.openshift.io"])"),
                                   HasSubstr(R"(resources ["machineconfigpools"])"), HasSubstr(R"(verbs ["get"])")));
  cluster_.script = {FakeCluster::Says(401)};
  EXPECT_THAT(Refused().message, HasSubstr("expired"));
  cluster_.script = {FakeCluster::Says(404, "404 page not found\n")};
  error = Refused();
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, HasSubstr("is it OpenShift"));
  EXPECT_THAT(Refused("kube:///infra").message, HasSubstr("\"infra\" is not among"));
  cluster_.script = {FakeCluster::Says(407)};
  EXPECT_THAT(Refused().message, HasSubstr("--source-proxy"));
  cluster_.script = {[](const net::FetchRequest&) {
    net::FetchAnswer out = FakeCluster::Answer(407);
    out.proxy_refusal = "the proxy p:1 takes Negotiate credentials only";
    return out;
  }};
  EXPECT_THAT(Refused().message, ::testing::StartsWith("the proxy p:1 takes Negotiate credentials only"));
  cluster_.script = {FakeCluster::Says(302)};
  EXPECT_THAT(Refused().message, HasSubstr("is this the address of a Kubernetes API?"));
  WriteConfig("    {}\n");
  cluster_.script = {FakeCluster::Says(401)};
  EXPECT_THAT(Refused().message, HasSubstr("neither a token nor a client certificate"));
  EXPECT_THAT(cluster_.waits, SizeIs(1)) << "of these only a 403 may pass by itself";
}

TEST_F(Kube, WhatMayPassIsTriedAgainMoreAndMoreSlowly) {
  cluster_.script = {FakeCluster::Says(503), FakeCluster::Fails(Code::kNetwork), FakeCluster::Says(500),
                     FakeCluster::Says(429)};
  ASSERT_TRUE(Read());
  EXPECT_THAT(cluster_.waits, ElementsAre(AllOf(Ge(100), Le(200)), AllOf(Ge(200), Le(400)), AllOf(Ge(400), Le(800)),
                                          AllOf(Ge(800), Le(1600))));
  cluster_.asked.clear();
  cluster_.script.assign(9, FakeCluster::Says(503));
  EXPECT_THAT(Refused().message, HasSubstr("status 503"));
  EXPECT_THAT(cluster_.asked, SizeIs(5));
}

TEST_F(Kube, TheServersWishToWaitIsRespected) {
  const auto busy = [](std::string value) {
    return [value](const net::FetchRequest&) {
      net::FetchAnswer out = FakeCluster::Answer(429);
      out.headers.emplace_back("retry-after", value);
      return out;
    };
  };
  cluster_.script = {busy("7"), busy("99999999"), busy("soon")};
  ASSERT_TRUE(Read());
  EXPECT_THAT(cluster_.waits, ElementsAre(7000, 60000, Le(800)));
  cluster_.waits.clear();
  cluster_.script = {busy("60"), busy("60"), busy("60"), busy("60")};
  Refused();
  EXPECT_THAT(cluster_.waits, SizeIs(1)) << "all tries together are bounded, too";
}

TEST_F(Kube, TheTimeMayBeSaid) {
  SourceRequest request = Request();
  request.timeout_seconds = 1;
  cluster_.script.assign(9, FakeCluster::Says(503));
  EXPECT_FALSE(ReadKube(request, cluster_.Ports(), Nowhere()));
  EXPECT_THAT(cluster_.asked, SizeIs(2));
  EXPECT_EQ(cluster_.asked[0].total_seconds, 1);
}

TEST_F(Kube, WhatDoesNotPassIsNotTriedAgain) {
  cluster_.script = {FakeCluster::Fails(Code::kTls)};
  EXPECT_EQ(Refused().code, Code::kTls) << "a wrong certificate";
  cluster_.script = {[](const net::FetchRequest& request) -> Result<net::FetchAnswer> {
    request.notes->is_temporary = false;
    return Fail(Code::kNetwork, "the proxy refused to connect", "there");
  }};
  EXPECT_EQ(Refused().code, Code::kNetwork);
  EXPECT_THAT(cluster_.asked, SizeIs(2));
}

TEST_F(Kube, ATokenThatWasReplacedJustNowIsReadAgainOnce) {
  WriteConfig("    tokenFile: token\n");
  Write("token", "old");
  cluster_.script = {[&](const net::FetchRequest&) {
    Write("token", "new");
    return FakeCluster::Answer(401);
  }};
  ASSERT_TRUE(Read());
  EXPECT_EQ(cluster_.asked[0].bearer_token->Reveal(), "old");
  EXPECT_EQ(cluster_.asked[1].bearer_token->Reveal(), "new");
  cluster_.asked.clear();
  cluster_.script.assign(5, FakeCluster::Says(401));
  Refused();
  EXPECT_THAT(cluster_.asked, SizeIs(2));
}

TEST_F(Kube, AStopEndsTheTries) {
  cluster_.script = {[&](const net::FetchRequest& request) {
    cluster_.stop = true;
    EXPECT_TRUE(request.should_stop());
    return FakeCluster::Answer(0);
  }};
  EXPECT_THAT(Refused().message, HasSubstr("asked to stop"));
  EXPECT_THAT(cluster_.asked, SizeIs(1));
}

TEST_F(Kube, TheControllerConfigIsReadWhole) {
  const std::string pem = EncodeBase64(testing_support::SampleText("proxy-root.pem"));
  cluster_.objects["/apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller"] =
      R"({"apiVersion":"machineconfiguration.openshift.io/v1","kind":"ControllerConfig","metadata":{"name":"machine-config-controller"},)"
      R"("spec":{"proxy":{"httpProxy":"http://p:1","httpsProxy":"http://p:1","noProxy":".svc"},"additionalTrustBundle":")" +
      pem + "\"}}";
  const auto read = Must(Read("kube:///controllerconfig"));
  EXPECT_EQ(read.source.kind, "ControllerConfig");
  EXPECT_EQ(read.http_proxy->Reveal(), "http://p:1");
  EXPECT_THAT(read.certificates, SizeIs(1));
}

class Proxy : public Kube {
 protected:
  void PutProxy(std::string_view trusted) {
    cluster_.objects["/apis/config.openshift.io/v1/proxies/cluster"] = fmt::format(
        R"({{"apiVersion":"config.openshift.io/v1","kind":"Proxy","metadata":{{"name":"cluster"}},"spec":{{"httpProxy":"http://p:1","trustedCA":{{"name":"{}"}}}},"status":{{"httpProxy":"http://p:1","noProxy":".svc"}}}})",
        trusted);
  }
  static std::string Path(std::string_view name_space, std::string_view name) {
    return fmt::format("/api/v1/namespaces/{}/configmaps/{}", name_space, name);
  }
  void PutMap(std::string_view name_space, std::string_view name, const std::string& sample) {
    cluster_.objects[Path(name_space, name)] = fmt::format(
        R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}","namespace":"{}"}},"data":{{"ca-bundle.crt":"{}"}}}})",
        name, name_space, Escaped(testing_support::SampleText(sample)));
  }
};

TEST_F(Proxy, WithTheConfigMapThatItNames) {
  PutProxy("corporate");
  PutMap("openshift-config", "corporate", "corporate-root.pem");
  const auto read = Must(Read("kube:///proxy"));
  EXPECT_EQ(read.source.kind, "Proxy");
  EXPECT_EQ(read.no_proxy, ".svc");
  EXPECT_THAT(read.certificates, SizeIs(1));
  EXPECT_FALSE(Has(read, "no-user-ca-bundle")) << "the cluster was asked for it";
  // What the machine-config operator adds: nodes get both.
  PutMap("openshift-config", "user-ca-bundle", "proxy-root.pem");
  EXPECT_THAT(Read("kube:///proxy")->certificates, SizeIs(2));
}

TEST_F(Proxy, WithTheUsersBundleAlone) {
  PutProxy("");
  PutMap("openshift-config", "user-ca-bundle", "proxy-root.pem");
  EXPECT_THAT(Read("kube:///proxy")->certificates, SizeIs(1));
  PutProxy("user-ca-bundle");
  EXPECT_THAT(Read("kube:///proxy")->certificates, SizeIs(1));
}

TEST_F(Proxy, TheMergedBundleIsInAnotherNamespace) {
  PutProxy("trusted-ca-bundle");
  PutMap("openshift-config-managed", "trusted-ca-bundle", "proxy-root.pem");
  const auto read = Must(Read("kube:///proxy"));
  EXPECT_THAT(read.certificates, SizeIs(1));
}

TEST_F(Proxy, NoBundleAtAllIsAStatement) {
  PutProxy("");
  const auto read = Must(Read("kube:///proxy"));
  EXPECT_TRUE(read.trust_file.present);
  EXPECT_THAT(read.certificates, SizeIs(0));
  EXPECT_FALSE(Has(read, "no-trust-file"));
}

TEST_F(Proxy, ASpecThatTheClusterHasNotAcceptedIsNotTaken) {
  const auto put = [&](const std::string& rest) {
    cluster_.objects["/apis/config.openshift.io/v1/proxies/cluster"] =
        R"({"apiVersion":"config.openshift.io/v1","kind":"Proxy","metadata":{"name":"cluster"},)" + rest + "}";
  };
  for (const char* status : {"", R"(,"status":{})", R"(,"status":{"httpProxy":""})"}) {
    put(std::string(R"("spec":{"httpProxy":"http://evil:1"})") + status);
    const Error error = Refused("kube:///proxy");
    EXPECT_EQ(error.code, Code::kInvalidConfig) << status;
    EXPECT_THAT(error.message, HasSubstr("has not accepted")) << status;
  }
  put(R"("spec":{},"status":{})");
  const auto none = Must(Read("kube:///proxy"));
  EXPECT_TRUE(none.proxy_file.present) << "a cluster without a proxy says so";
  EXPECT_FALSE(none.http_proxy);
}

TEST_F(Proxy, AConfigMapThatItNamesMustBeThere) {
  PutProxy("corporate");
  const Error error = Refused("kube:///proxy");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(error.message,
            "the ConfigMap \"corporate\" is not in the namespace openshift-config, although the Proxy names it");
}

// "None" would take away the CAs of nodes: only the API server itself can say so.
TEST_F(Proxy, OnlyTheApiServerCanSayThatThereIsNone) {
  PutProxy("");
  const FakeCluster::Step proxy = [&](const net::FetchRequest& request) {
    return FakeCluster::Answer(200, cluster_.objects.at(FakeCluster::PathOf(request)));
  };
  for (const char* body : {"<html><title>404</title>", "404 page not found\n", "", "{}", R"({"message":"no route"})",
                           R"({"kind":"Status","code":404,"details":{}})"}) {
    cluster_.script = {proxy, FakeCluster::Says(404, body)};
    const Error error = Refused("kube:///proxy");
    EXPECT_EQ(error.code, Code::kNetwork) << body;
    EXPECT_THAT(error.message, HasSubstr("not from a Kubernetes API")) << body;
  }
}

TEST_F(Proxy, ATokenThatVanishesIsNoMissingBundle) {
  PutProxy("");
  WriteConfig("    tokenFile: token\n");
  Write("token", "c4nary");
  cluster_.script = {[&](const net::FetchRequest& request) {
    std::filesystem::remove(folder_.At("token"));
    return FakeCluster::Answer(200, cluster_.objects.at(FakeCluster::PathOf(request)));
  }};
  const Error error = Refused("kube:///proxy");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(std::filesystem::path(error.where), std::filesystem::path(folder_.At("token")));
}

TEST_F(Proxy, AllObjectsTogetherAreBounded) {
  PutProxy("corporate");
  PutMap("openshift-config", "corporate", "corporate-root.pem");
  const FakeCluster::Step slow = [&](const net::FetchRequest& request) {
    cluster_.now += 40;
    const auto found = cluster_.objects.find(FakeCluster::PathOf(request));
    return found != cluster_.objects.end()
               ? FakeCluster::Answer(200, found->second)
               : FakeCluster::Answer(404, R"({"kind":"Status","details":{"name":"user-ca-bundle"}})");
  };
  cluster_.script = {slow, slow, slow};
  ASSERT_TRUE(Read("kube:///proxy"));
  EXPECT_EQ(cluster_.asked[0].total_seconds, 60);
  EXPECT_EQ(cluster_.asked[1].total_seconds, 50);
  EXPECT_EQ(cluster_.asked[2].total_seconds, 10);
  SourceRequest request = Request("kube:///proxy");
  request.timeout_seconds = 40;
  cluster_.script = {slow, slow, slow};
  const Error read = ErrorIn(ReadKube(request, cluster_.Ports(), Nowhere()));
  EXPECT_EQ(read.code, Code::kNetwork);
  EXPECT_THAT(read.message, HasSubstr("may take 40 seconds (--source-timeout)"));
}

TEST_F(Proxy, ABundleThatCannotBeReadIsNeverNone) {
  PutProxy("corporate");
  EXPECT_EQ(Refused("kube:///proxy").code, Code::kNotFound);
  PutProxy("user-ca-bundle");
  EXPECT_EQ(Refused("kube:///proxy").code, Code::kNotFound);
  PutProxy("../x");
  EXPECT_EQ(Refused("kube:///proxy").code, Code::kType);
  PutProxy("");
  cluster_.script = {[&](const net::FetchRequest& request) {
                       return FakeCluster::Answer(200, cluster_.objects.at(FakeCluster::PathOf(request)));
                     },
                     FakeCluster::Says(403, "{}"), FakeCluster::Says(403, "{}")};
  const Error error = Refused("kube:///proxy");
  EXPECT_THAT(error.message, AllOf(HasSubstr(" a Role "), HasSubstr(R"(resources ["configmaps"])")));
  cluster_.objects[Path("openshift-config", "user-ca-bundle")] = "{},{}";
  EXPECT_EQ(Refused("kube:///proxy").code, Code::kJson);
}

class Trust : public Proxy {
 protected:
  static std::string Bundles(std::string_view version) {
    return fmt::format("/apis/certificates.k8s.io/{}/clustertrustbundles", version);
  }
  void PutBundle(std::string_view version) {
    cluster_.objects[Bundles(version) + "/corporate"] = fmt::format(
        R"({{"kind":"ClusterTrustBundle","apiVersion":"certificates.k8s.io/{}","metadata":{{"name":"corporate"}},"spec":{{"trustBundle":"{}"}}}})",
        version, Escaped(testing_support::SampleText("proxy-root.pem")));
  }
  // What an API server answers that does not serve the resource.
  static FakeCluster::Step Unserved() {
    return FakeCluster::Says(404, R"({"kind":"Status","code":404,"reason":"NotFound","details":{}})");
  }
};

TEST_F(Trust, AConfigMapStatesCertificatesAlone) {
  PutMap("trust", "corporate", "corporate-root.pem");
  const auto read = Must(Read("kube:///configmap/trust/corporate"));
  EXPECT_EQ(read.source.kind, "ConfigMap");
  EXPECT_EQ(read.source.name, "corporate");
  EXPECT_THAT(read.certificates, SizeIs(1));
  EXPECT_FALSE(read.proxy_file.present);
  EXPECT_TRUE(Has(read, "no-proxy-file"));
  EXPECT_THAT(cluster_.Paths(), ElementsAre(Path("trust", "corporate")));
}

TEST_F(Trust, AKeyOfAConfigMapMayBeNamed) {
  cluster_.objects[Path("trust", "c")] =
      R"({"kind":"ConfigMap","metadata":{"name":"c"},"data":{"a.pem":"x","b.pem":")" +
      Escaped(testing_support::SampleText("proxy-root.pem")) + "\"}}";
  EXPECT_THAT(Read("kube:///configmap/trust/c:b.pem")->certificates, SizeIs(1));
  EXPECT_THAT(Read("kube:///configmap/trust/c")->certificates, SizeIs(1)) << "the only one with certificates";
  const Error none = Refused("kube:///configmap/trust/c:c.pem");
  EXPECT_EQ(none.code, Code::kInvalidConfig);
  EXPECT_THAT(none.message, HasSubstr("its keys are: a.pem, b.pem"));
  EXPECT_EQ(none.file, Path("trust", "c"));
  EXPECT_EQ(Refused("kube:///configmap/trust/c:a.pem").code, Code::kCert) << "what is named must be certificates";
}

TEST_F(Trust, AConfigMapThatIsNotThereIsNoEmptyOne) {
  for (const char* name_space : {"trust", "openshift-config"}) {
    const Error error = Refused(fmt::format("kube:///configmap/{}/corporate", name_space));
    EXPECT_EQ(error.code, Code::kNotFound);
    EXPECT_EQ(error.message, fmt::format("\"corporate\" is not among the configmaps of the namespace {}", name_space));
  }
}

TEST_F(Trust, ABundleIsReadInTheNewestVersionThatIsServed) {
  PutBundle("v1");
  const auto newest = Must(Read("kube:///clustertrustbundle/corporate"));
  EXPECT_THAT(newest.certificates, SizeIs(1));
  EXPECT_THAT(cluster_.Paths(), ElementsAre(Bundles("v1") + "/corporate"));
  cluster_.objects.clear();
  cluster_.asked.clear();
  PutBundle("v1alpha1");
  cluster_.script = {Unserved(), FakeCluster::Says(404, "404 page not found\n")};
  Must(Read("kube:///clustertrustbundle/corporate"));
  EXPECT_THAT(cluster_.Paths(), ElementsAre(Bundles("v1") + "/corporate", Bundles("v1beta1") + "/corporate",
                                            Bundles("v1alpha1") + "/corporate"));
}

TEST_F(Trust, AServerWithoutBundlesIsSaidToBeOne) {
  cluster_.script = {Unserved(), Unserved(), Unserved()};
  const Error error = Refused("kube:///clustertrustbundle/corporate");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message, AllOf(HasSubstr("v1, v1beta1, v1alpha1"), HasSubstr("--runtime-config")));
  cluster_.asked.clear();
  EXPECT_THAT(Refused("kube:///clustertrustbundle/corporate").message, HasSubstr("\"corporate\" is not among"));
  EXPECT_THAT(cluster_.asked, SizeIs(1)) << "the server knows the kind";
}

TEST_F(Trust, AHostedClusterIsReadWithItsConfigMaps) {
  const std::string path = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters/one";
  cluster_.objects[path] =
      R"({"apiVersion":"hypershift.openshift.io/v1beta1","kind":"HostedCluster","metadata":{"name":"one","namespace":"clusters"},)"
      R"("spec":{"additionalTrustBundle":{"name":"mine"},"configuration":{"proxy":{"httpProxy":"http://p:1","trustedCA":{"name":"proxys"}}}}})";
  PutMap("clusters", "mine", "corporate-root.pem");
  const Error error = Refused("kube:///hostedcluster/clusters/one");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_THAT(error.message,
              HasSubstr("\"proxys\" is not in the namespace clusters, although the HostedCluster names it"));
  PutMap("clusters", "proxys", "proxy-root.pem");
  const auto read = Must(Read("kube:///hostedcluster/clusters/one"));
  EXPECT_EQ(read.http_proxy->Reveal(), "http://p:1");
  EXPECT_THAT(read.certificates, SizeIs(2));
  EXPECT_TRUE(Has(read, "no-proxy-incomplete"));
  cluster_.script = {Unserved()};
  EXPECT_THAT(Refused("kube:///hostedcluster/clusters/one").message, HasSubstr("HyperShift's management cluster"));
}

TEST_F(Trust, ARancherClusterIsRead) {
  cluster_.objects["/apis/provisioning.cattle.io/v1/namespaces/fleet-default/clusters/c"] =
      R"({"apiVersion":"provisioning.cattle.io/v1","kind":"Cluster","metadata":{"name":"c"},"spec":{"agentEnvVars":[{"name":"HTTP_PROXY","value":"http://p:1"}]}})";
  const auto read = Must(Read("kube:///ranchercluster/fleet-default/c"));
  EXPECT_EQ(read.http_proxy->Reveal(), "http://p:1");
  EXPECT_FALSE(read.trust_file.present);
}

}  // namespace
}  // namespace prov::source
