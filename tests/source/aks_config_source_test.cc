#include "provisioner/source/aks_config_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "provisioner/base/text.h"
#include "tests/source/document_helpers.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kUrls = R"("httpProxy":"http://p:8080/","httpsProxy":"https://p:8443/")";

std::string TrustEntry(const std::string& text, const std::string& key = "trustedCa") {
  return std::string("{") + kUrls + ",\"" + key + "\":\"" + text + "\"}";
}

TEST(AksConfig, TheEffectiveListCountsAndKeepsTheUsersOrder) {
  const auto read = [](const std::string& effective) {
    return ReadText(std::string(R"({"name":"c","fqdn":"c.azmk8s.io","httpProxyConfig":{)") + kUrls +
                    R"(,"noProxy":["z","a"],"effectiveNoProxy":[)" + effective + "]}}");
  };
  const auto one = read(R"("konnectivity","a","z","localhost")");
  const auto other = read(R"("z","localhost","a","konnectivity")");
  ASSERT_TRUE(one) << Failure(one);
  EXPECT_EQ(one->no_proxy, "z,a,konnectivity,localhost");
  EXPECT_EQ(one->no_proxy, other->no_proxy) << "AKS lists them in no order";
  EXPECT_EQ(one->source.name, "c");
  EXPECT_EQ(one->facts.api_host, "c.azmk8s.io");
  EXPECT_THAT(one->findings, Not(HasCode("no-proxy-incomplete")));
}

TEST(AksConfig, WhatIsKnownOfTheClusterIsAdded) {
  const auto show =
      MustRead(std::string(R"({"fqdn":"c.io","privateFqdn":null,"networkProfile":{"serviceCidr":"10.0.0.0/16",)"
                           R"("serviceCidrs":["10.0.0.0/16"],"podCidr":"10.244.0.0/16"},"httpProxyConfig":{)") +
               kUrls + "}}");
  EXPECT_EQ(show.no_proxy,
            "10.0.0.0/16,10.244.0.0/16,127.0.0.1,168.63.129.16,169.254.169.254,c.io,konnectivity,localhost");
  EXPECT_THAT(MessageOf(show.findings, "no-proxy-incomplete"), HasSubstr(": the virtual network's range; "));
}

std::set<std::string> AsSet(std::string_view list) {
  std::set<std::string> out;
  for (const std::string_view entry : Split(list, ',')) out.emplace(entry);
  return out;
}

// A member of clusterFacts with the value of that name.
std::string Fact(std::string_view member, const ObjectView& object, std::string_view name) {
  return fmt::format(R"("{}":"{}")", member, object.TextOr(name, "").value_or(""));
}

TEST(AksNoProxy, AgreesWithWhatWasObserved) {
  const std::string path = testing_support::TestsFolder() + "/../../shared/cases/egress/aks-noproxy-observed.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "NOT RUN: the observed lists are not there: " << path;
  const auto document = Must(ParseJson(testing_support::ReadAll(path), {}));
  const auto root = ObjectView::Of(document->root(), "$");
  const auto cases = Must(root->Objects("cases"));
  ASSERT_EQ(cases.size(), 2U);
  for (const ObjectView& row : cases) {
    const ObjectView cluster = **row.Object("cluster");
    const auto config =
        MustRead(fmt::format(R"({{"httpProxy":"http://p:1/","noProxy":{},"clusterFacts":{{{},{},{},{},{}}}}})",
                             WriteJson(*row.Find("user"), 0), Fact("apiServerFqdn", cluster, "apiFqdn"),
                             Fact("serviceCidr", cluster, "serviceCidr"), Fact("podCidr", cluster, "podCidr"),
                             Fact("vnetCidr", cluster, "vnet"), Fact("subnetCidr", cluster, "subnet")));
    const auto effective = **row.Texts("effective");
    EXPECT_EQ(AsSet(*config.no_proxy), std::set<std::string>(effective.begin(), effective.end()));
    EXPECT_THAT(config.findings, Not(HasCode("no-proxy-incomplete")));
  }
}

TEST(AksConfig, NamesWindowsPoolsBesideAProxy) {
  const auto cluster = [](const std::string& config, const std::string& pools) {
    return MustRead("{\"name\":\"c\",\"httpProxyConfig\":" + config + ",\"agentPoolProfiles\":" + pools + "}");
  };
  const std::string config = std::string("{") + kUrls + "}";
  const std::string pools = R"([{"name":"np","osType":"Linux"},{"name":"win","osType":"windows"}])";
  const auto both = cluster(config, pools);
  EXPECT_THAT(MessageOf(both.findings, "aks-windows-upgrade"), HasSubstr("Windows pools (win)"));
  EXPECT_THAT(cluster("null", pools).findings, Not(HasCode("aks-windows-upgrade")));
  for (const char* others : {"[]", "null", "\"x\"", "[1]", R"([{"name":"np","osType":"Linux"}])"})
    EXPECT_THAT(cluster(config, others).findings, Not(HasCode("aks-windows-upgrade"))) << others;
}

TEST(AksConfig, NamesWindowsPoolsThatAreResources) {
  constexpr std::string_view kType = "Microsoft.ContainerService/managedClusters";
  const auto cluster = [&](std::string_view name, const std::string& rest = "") {
    return fmt::format(R"({{"type":"{}","name":"{}","properties":{{"httpProxyConfig":{{{}}}}}{}}})", kType, name, kUrls,
                       rest);
  };
  const auto pool = [&](std::string_view name, std::string_view system) {
    return fmt::format(R"(,{{"type":"{}/agentPools","name":"{}","properties":{{"osType":"{}"}}}})", kType, name,
                       system);
  };
  const auto read = [](const std::string& resources) { return MustRead(R"({"resources":[)" + resources + "]}"); };
  for (const std::string& resources :
       {cluster("c") + pool("c/win", "windows"), cluster("c") + pool("[format('{0}/win', 'c')]", "Windows"),
        cluster("[parameters('c')]") + pool("d/win", "Windows"),
        cluster("c", R"(,"resources":[1,{"type":"agentPools","name":"win","properties":{"osType":"Windows"}}])")}) {
    EXPECT_THAT(MessageOf(read(resources).findings, "aks-windows-upgrade"), HasSubstr("win")) << resources;
  }
  for (const std::string& resources :
       {cluster("c") + pool("c/np", "Linux"), cluster("c") + pool("d/win", "Windows"),
        cluster("c", R"(,"resources":[{"type":"agentPools","name":"np","properties":{}}])")}) {
    EXPECT_THAT(read(resources).findings, Not(HasCode("aks-windows-upgrade"))) << resources;
  }
}

TEST(AksConfig, DisabledAndNullAreTheExplicitEmpty) {
  for (const std::string& text : {std::string(R"({"httpProxyConfig":null,"name":"c"})"),
                                  std::string(R"({"properties":{"httpProxyConfig":null}})"),
                                  std::string("{") + kUrls + R"(,"enabled":false,"trustedCa":"?"})",
                                  std::string(R"({"httpProxyConfig":{"enabled":"False"}})"),
                                  std::string("httpProxyConfig:\n  httpProxy: http://p:1/\n  enabled: no\n")}) {
    const auto config = MustRead(text);
    EXPECT_TRUE(config.proxy_file.present);
    EXPECT_TRUE(config.trust_file.present);
    EXPECT_FALSE(config.http_proxy || config.https_proxy || config.no_proxy);
    EXPECT_TRUE(config.certificates.empty());
    EXPECT_THAT(config.findings, HasCode("aks-disabled"));
  }
}

TEST(AksConfig, OneProxyServesForBothAndIsSaid) {
  const auto http = MustRead(R"({"httpProxy":"http://p:8080/"})");
  EXPECT_EQ(http.https_proxy, http.http_proxy);
  EXPECT_THAT(http.findings, HasCode("aks-https-default"));
  EXPECT_FALSE(http.trust_file.present) << "no key is no statement";
  const auto https = MustRead(R"({"httpsProxy":"http://p:8080","trustedCa":null})");
  EXPECT_FALSE(https.http_proxy);
  EXPECT_TRUE(https.trust_file.present);
}

TEST(AksConfig, SaysWhatAksWouldRefuse) {
  const auto config =
      MustRead(R"({"httpProxy":"https://p:8080/","httpsProxy":"http://u:c4nary@p:1/","noProxy":["*.x","*"]})");
  EXPECT_THAT(MessageOf(config.findings, "aks-url"), StartsWith("HTTPProxyWrongUrlError: "));
  EXPECT_THAT(config.findings, HasCode("aks-credentials"));
  EXPECT_THAT(MessageOf(config.findings, "aks-no-proxy"), HasSubstr("\"*.x\""));
  const auto bare = MustRead(R"({"httpProxy":"p:8080/","httpsProxy":"https://p:1/"})");
  EXPECT_THAT(MessageOf(bare.findings, "aks-url"),
              testing::AllOf(StartsWith("HTTPProxyWrongUrlError: "), HasSubstr("no scheme")));
}

TEST(AksConfig, EntriesThatAksDoesNotTakeAreReported) {
  const auto count = [](const std::string& entries) {
    const auto config = Must(ReadText(std::string("{") + kUrls + R"(,"noProxy":[)" + entries + "]}"));
    return std::ranges::count(config.findings, "aks-no-proxy", &Finding::code);
  };
  EXPECT_EQ(count(R"("*","Docker.IO",".Example.com","10.0.0.0/8","fd00::1","a.b.")"), 0);
  EXPECT_EQ(count(R"("a,b","host:443","http://a","a b","10.0.0.0/33","[::1]","a_b","")"), 8);
  const auto config = MustRead(std::string("{") + kUrls + R"(,"noProxy":["a","a,b","http://u:c4nary@p:1"]})");
  EXPECT_THAT(MessageOf(config.findings, "aks-no-proxy"), HasSubstr("make an entry of each"));
  for (const Finding& finding : config.findings) EXPECT_THAT(finding.message, Not(HasSubstr("c4nary")));
}

// az aks show does not know the ranges of the virtual network.
TEST(AksConfig, FactsAddToWhatAksShows) {
  const std::string shown =
      R"({"fqdn":"c.azmk8s.io","networkProfile":{"serviceCidr":"10.0.0.0/16","podCidr":"10.244.0.0/16"},"httpProxyConfig":{)" +
      std::string(kUrls) + R"(,"noProxy":["localhost"]},"clusterFacts":{)";
  EXPECT_EQ(MustRead(shown + R"("vnetCidrs":["10.224.0.0/12"]}})").no_proxy,
            "localhost,10.0.0.0/16,10.224.0.0/12,10.244.0.0/16,127.0.0.1,168.63.129.16,169.254.169.254,c.azmk8s.io,"
            "konnectivity");
  const auto other = MustRead(shown + R"("serviceCidr":"10.1.0.0/16","podCidrs":[]}})");
  EXPECT_EQ(other.facts.service_ranges, std::vector<std::string>{"10.1.0.0/16"}) << "a person says otherwise";
  EXPECT_THAT(*other.no_proxy, HasSubstr("10.244.0.0/16"));
  EXPECT_EQ(Failure(ReadText(shown + R"("serviceCIDRs":["10.1.0.0/16"]}})")),
            "invalid-config: \"serviceCIDRs\" is no fact about a cluster; known are apiServerFqdns, serviceCidrs, "
            "podCidrs, vnetCidrs, subnetCidrs ($.clusterFacts.serviceCIDRs)");
}

TEST(AksConfig, FactsMayStandBesideTheKeysOfTheCommandLinesFile) {
  const auto config =
      MustRead(std::string("{") + kUrls + R"(,"noProxy":["localhost"],"clusterFacts":{"apiServerFqdn":"c.io"}})");
  EXPECT_EQ(config.facts.api_host, "c.io");
  EXPECT_EQ(config.facts.metadata_address, "169.254.169.254");
  EXPECT_THAT(MessageOf(config.findings, "aks-injected"),
              HasSubstr("5 entries that AKS itself adds were added, as far as the cluster is known: 127.0.0.1, "
                        "168.63.129.16, 169.254.169.254, konnectivity, c.io"));
  EXPECT_THAT(Failure(ReadText(std::string(R"({"httpProxyConfig":{)") + kUrls + R"(,"clusterFacts":{}}})")),
              StartsWith("invalid-config: the key \"clusterFacts\" is none of those"));
  const auto all =
      ReadText(std::string("{") + kUrls +
               R"(,"noProxy":["localhost","127.0.0.1","168.63.129.16","169.254.169.254","konnectivity"]})");
  EXPECT_THAT(all->findings, Not(HasCode("aks-injected"))) << "nothing was added";
}

TEST(AksConfig, RefusesWithAksOwnNames) {
  const std::string packed = EncodeBase64(Pem("proxy-root"));
  const std::pair<std::string, std::string> rows[] = {
      {R"({"httpProxy":"","noProxy":["a"]})",
       "invalid-config: HTTPProxyConfigInputError: HTTPProxy and HTTPSProxy both cannot be empty ($)"},
      {R"({"httpProxyConfig":{}})", "invalid-config: HTTPProxyConfigInputError: "},
      {TrustEntry("Q29uZ3JhdHMhIFlvdSBoYXZlIGZvdW5kIGEgaGlkZGVuIG1lc3NhZ2U="),
       "cert: HTTPProxyTrustedCAPEMDecodeFailure: failed to decode HTTPProxyConfig.TrustedCA to PEM after base64"},
      {TrustEntry(""), "cert: HTTPProxyTrustedCAPEMDecodeFailure: "},
      {TrustEntry(packed.substr(0, packed.size() - 1)),
       "cert: HTTPProxyTrustedCAPEMDecodeFailure: the trust bundle is not base64"},
      {TrustEntry(packed.substr(0, 400)), "cert: the trust bundle is damaged"},
      {TrustEntry(Escaped(Pem("proxy-root"))),
       "cert: HTTPProxyTrustedCAPEMDecodeFailure: the trust bundle is not base64: it"},
      {std::string("{") + kUrls + R"(,"noproxy":[]})", "invalid-config: the key \"noproxy\" is none of those"},
      {std::string("{") + kUrls + R"(,"noProxy":"a,b"})",
       "type: expected an array of strings, found a string, as in the spec of OpenShift's Proxy: give that object as a "
       "whole (oc get proxy cluster -o yaml)"},
      {std::string("{") + kUrls + R"(,"trustedCA":{"name":""}})",
       "type: expected a string, found an object, as in the spec of OpenShift's Proxy"},
      {R"({"httpProxyConfig":{"httpProxy":"http://p:1/","noProxy":"a,b"}})",
       "type: expected an array of strings, found a string ($.httpProxyConfig.noProxy)"},
      {std::string("{") + kUrls + R"(,"noProxy":[1]})", "type: expected a string, found an integer ($.noProxy[0])"},
      {std::string("{") + kUrls + R"(,"enabled":"no"})", "type: expected true or false ($.enabled)"},
      {std::string("{") + kUrls + R"(,"enabled":0})", "type: expected true or false ($.enabled)"},
      {std::string("{") + kUrls + R"(,"httpProxy":"http://q:1/"})",
       "invalid-config: the key \"httpProxy\" occurs twice"},
      {R"({"httpProxyConfig":[]})", "type: expected an object, found an array ($.httpProxyConfig)"},
      {TrustEntry(packed).insert(1, R"("trustedCA":"AAAA",)"),
       "invalid-config: trustedCa is there in two spellings with different values"},
  };
  for (const auto& [text, failure] : rows) EXPECT_THAT(Failure(ReadText(text)), StartsWith(failure)) << text;
}

TEST(AksConfig, OtherSpellingsOfTheKeyAreReadAndReported) {
  const std::string packed = EncodeBase64(Pem("proxy-root"));
  for (const char* key : {"trustedCA", "trustedca"}) {
    const auto config = MustRead(TrustEntry(packed, key));
    EXPECT_EQ(config.certificates.size(), 1U);
    EXPECT_THAT(config.findings, HasCode("aks-key"));
  }
  const auto both = MustRead(TrustEntry(packed).insert(1, "\"trustedCA\":\"" + packed + "\","));
  EXPECT_EQ(both.certificates.size(), 1U);
  EXPECT_THAT(ReadText(TrustEntry(packed))->findings, Not(HasCode("aks-key")));
}

TEST(AksConfig, ItsLimitsAreFindings) {
  std::string many;
  for (int i = 0; i < 21; ++i) many += Pem("proxy-root");
  const auto config = MustRead(TrustEntry(EncodeBase64(many)));
  EXPECT_EQ(config.certificates.size(), 21U);
  EXPECT_THAT(MessageOf(config.findings, "aks-limit"),
              StartsWith("AKS takes at most 20 certificates in 35 KB; these "));
  const auto padded = MustRead(TrustEntry(EncodeBase64(Pem("proxy-root") + std::string(std::size_t{36} * 1024, '\n'))));
  EXPECT_THAT(padded.findings, HasCode("aks-limit"));
}

TEST(AksConfig, OneClusterOfAListIsChosenByName) {
  const std::string list =
      std::string(R"([{"name":"a","httpProxyConfig":null},{"name":"b","httpProxyConfig":{)") + kUrls + "}}]";
  EXPECT_THAT(Failure(ReadText(list)), StartsWith("not-found: 2 objects AKS cluster are there"));
  const auto config = MustRead(list, {.pool = "worker", .name = "b"});
  EXPECT_EQ(config.proxy_file.path, "$[1].httpProxyConfig");
  const std::string twins = R"([{"name":"aks","resourceGroup":"a","httpProxyConfig":null},)"
                            R"({"name":"aks","resourceGroup":"b","httpProxyConfig":null}])";
  EXPECT_THAT(Failure(ReadText(twins, {.pool = "worker", .name = "aks"})),
              StartsWith("not-found: 2 objects AKS cluster are called \"aks\""));
}

// az rest, az aks list, az aks show: Azure leaves the member out of what it says of a cluster without a proxy.
TEST(AksConfig, ADeployedClusterWithoutTheMemberHasNoProxy) {
  constexpr const char* kShown =
      R"({"id":"/subscriptions/s","kind":"Base","name":"c","provisioningState":"Succeeded","type":"Microsoft.ContainerService/ManagedClusters"})";
  for (
      const std::string& text :
      {std::string(kShown), std::string("[") + kShown + "]",
       std::string(
           R"({"name":"c","type":"microsoft.containerservice/managedclusters","properties":{"provisioningState":"Failed"}})")}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.source.kind, "AKS");
    EXPECT_EQ(config.source.name, "c");
    EXPECT_TRUE(config.proxy_file.present && config.trust_file.present);
    EXPECT_FALSE(config.http_proxy || config.https_proxy || config.no_proxy);
    EXPECT_THAT(config.findings, HasCode("aks-disabled"));
  }
  // Part of an answer, or another resource, says nothing.
  for (const char* text : {R"({"name":"c","type":"Microsoft.ContainerService/ManagedClusters"})",
                           R"({"name":"c","type":"Microsoft.Compute/virtualMachines","provisioningState":"Succeeded"})",
                           R"({"provisioningState":"Succeeded","kind":"Base"})"}) {
    EXPECT_THAT(Failure(ReadText(text)), StartsWith("kind: ")) << text;
  }
}

std::string Resource(const std::string& config, const std::string& name = "c") {
  return R"({"type":"Microsoft.ContainerService/managedClusters","apiVersion":"2024-09-01","name":")" + name +
         R"(","properties":{"networkProfile":{"serviceCidr":"10.0.0.0/16"},"httpProxyConfig":)" + config + "}}";
}

TEST(AksConfig, ListsOfTheApiAndTemplatesAreRead) {
  const std::string config = std::string("{") + kUrls + "}";
  const std::string vm = R"({"type":"Microsoft.Compute/virtualMachines","name":"v","properties":{}})";
  const std::string list = R"({"value":[)" + Resource(config) + R"(],"nextLink":null})";
  const std::string one = R"({"$schema":"x","resources":[)" + vm + "," + Resource(config) + "]}";
  const std::string named = R"({"resources":{"vm":)" + vm + R"(,"aks":)" + Resource(config) + "}}";
  const std::string module =
      R"({"resources":[{"type":"Microsoft.Resources/deployments","properties":{"template":)" + one + "}}]}";
  const std::pair<std::string, std::string> rows[] = {
      {list, "$.value[0].properties.httpProxyConfig"},
      {one, "$.resources[1].properties.httpProxyConfig"},
      {named, "$.resources.aks.properties.httpProxyConfig"},
      {module, "$.resources[0].properties.template.resources[1].properties.httpProxyConfig"},
  };
  for (const auto& [text, path] : rows) {
    const auto read = MustRead(text);
    EXPECT_EQ(read.source.kind, "AKS");
    EXPECT_EQ(read.http_proxy->Reveal(), "http://p:8080/");
    EXPECT_EQ(read.proxy_file.path, path);
    EXPECT_THAT(*read.no_proxy, HasSubstr("10.0.0.0/16"));
  }
  const std::string two = R"({"value":[)" + Resource("null", "a") + "," + Resource(config, "b") + "]}";
  EXPECT_THAT(Failure(ReadText(two)), StartsWith("not-found: 2 objects AKS cluster are there"));
  EXPECT_TRUE(ReadText(two, {.pool = "worker", .name = "b"}));
  // What a template leaves out it makes no statement about.
  EXPECT_THAT(Failure(ReadText(R"({"resources":[)" + vm + "]}")), StartsWith("kind: "));
  EXPECT_THAT(Failure(ReadText(R"({"value":[]})")), StartsWith("kind: "));
}

TEST(AksConfig, ExpressionsOfATemplateAreNoValues) {
  const std::pair<const char*, const char*> rows[] = {
      {R"("[parameters('httpProxyConfig')]")", "$.resources[0].properties.httpProxyConfig"},
      {R"({"httpProxy":"[parameters('proxy')]"})", "$.resources[0].properties.httpProxyConfig.httpProxy"},
      {R"({"httpProxy":"http://p:1/","noProxy":["a","[variables('b')]"]})",
       "$.resources[0].properties.httpProxyConfig.noProxy[1]"},
  };
  for (const auto& [config, path] : rows) {
    const std::string failure = Failure(ReadText(R"({"resources":[)" + Resource(config) + "]}"));
    EXPECT_THAT(failure, StartsWith("invalid-config: "));
    EXPECT_THAT(failure, HasSubstr("az aks show"));
    EXPECT_THAT(failure, HasSubstr(std::string("(") + path + ")"));
  }
}

TEST(AksClusterSuffixes, AreAddedWhereTheyLack) {
  const std::pair<const char*, std::string> rows[] = {
      {R"("a")", "a,k,.svc,.cluster.local"},
      {R"("a",".SVC")", "a,.SVC,k,.cluster.local"},
      {R"(".cluster.local",".svc")", ".cluster.local,.svc,k"},
      {R"("x.svc","svc")", "x.svc,svc,k,.svc,.cluster.local"},
  };
  for (const auto& [user, list] : rows) {
    auto config =
        MustRead(std::string(R"({"httpProxy":"http://p:8080/","effectiveNoProxy":["k"],"noProxy":[)") + user + "]}");
    const std::string digest = config.proxy_file.sha256;
    const std::string before = *config.no_proxy;
    ASSERT_TRUE(AddClusterSuffixes(config));
    EXPECT_EQ(config.no_proxy, list);
    const bool changed = before != list;
    EXPECT_EQ(MessageOf(config.findings, "aks-cluster-suffixes").empty(), !changed) << list;
    EXPECT_EQ(config.proxy_file.sha256 == digest, !changed) << "the digest is that of what counts";
    ASSERT_TRUE(AddClusterSuffixes(config));
    EXPECT_EQ(config.no_proxy, list) << "once is enough";
  }
}

TEST(AksClusterSuffixes, AreForClustersOfAksThatHaveAProxy) {
  auto disabled = MustRead(R"({"httpProxyConfig":null,"name":"c"})");
  ASSERT_TRUE(AddClusterSuffixes(disabled));
  EXPECT_FALSE(disabled.no_proxy);
  auto other = MustRead("HTTP_PROXY=http://p:1\nNO_PROXY=a\n");
  const Error added = ErrorIn(AddClusterSuffixes(other));
  EXPECT_EQ(added.code, Code::kKind);
  EXPECT_THAT(added.message, HasSubstr("(EnvironmentFile)"));
  EXPECT_EQ(other.no_proxy, "a");
}

}  // namespace
}  // namespace prov::source
