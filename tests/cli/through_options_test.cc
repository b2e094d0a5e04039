// `explain --through` and `--required` as their callers see them: from NO_PROXY to the address that the outside sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"

namespace prov {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::Json;
using testing_support::ProcessResult;

const char* const kWayProxyEnv =
    "HTTP_PROXY=http://10.0.0.9:8080\nHTTPS_PROXY=http://10.0.0.9:8080\nNO_PROXY=.svc,10.0.0.0/8,.internal.example\n";

// Line 2 of the destinations denies, line 3 has also quay.io itself.
const char* const kRouter =
    "apiVersion: v1\nkind: Pod\n"
    "metadata: {name: egress-http, namespace: egress, annotations: {pod.network.openshift.io/assign-macvlan: "
    "\"true\"}}\n"
    "spec:\n"
    "  initContainers:\n"
    "  - name: egress-router\n"
    "    image: registry.example/egress-router:v4\n"
    "    securityContext: {privileged: true}\n"
    "    env:\n"
    "    - {name: EGRESS_SOURCE, value: 10.42.253.45/24}\n"
    "    - {name: EGRESS_GATEWAY, value: 10.42.253.1}\n"
    "    - {name: EGRESS_ROUTER_MODE, value: http-proxy}\n"
    "  containers:\n"
    "  - name: egress-http-proxy\n"
    "    image: registry.example/egress-http-proxy:v4\n"
    "    env:\n"
    "    - name: EGRESS_HTTP_PROXY_DESTINATION\n"
    "      value: |\n"
    "        # registries\n"
    "        !cdn.quay.io\n"
    "        *.quay.io\n"
    "        registry.redhat.io\n";

class ThroughOptions : public testing_support::ProgramTest {
 protected:
  static ProcessResult Run(std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    return testing_support::Provisioner(std::move(words));
  }
  ProcessResult Through(std::vector<std::string> words) const {
    words.insert(words.begin(), {source_, "--through", router_});
    return Run(words);
  }

  std::string source_ = Write("proxy.env", kWayProxyEnv);
  std::string router_ = Write("router.yaml", kRouter);
};

TEST_F(ThroughOptions, JsonOfTheContract) {
  const ProcessResult result =
      Through({"--url", "https://quay.io/", "https://cdn.quay.io/", "https://a.internal.example/", "https://10.1.2.3/",
               "--for", "go,dotnet", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document document = Json(result);
  const auto& decisions = document["decisions"];
  ASSERT_EQ(decisions.Size(), 8U);
  const auto& allowed = decisions[0]["route"];
  EXPECT_STREQ(decisions[0]["decision"].GetString(), "proxy");
  EXPECT_STREQ(allowed["decision"].GetString(), "allow");
  EXPECT_EQ(allowed["line"].GetInt(), 3);
  EXPECT_STREQ(allowed["to"].GetString(), "quay.io:443");
  EXPECT_STREQ(allowed["source"].GetString(), "10.42.253.45");
  EXPECT_THAT(allowed["router"].GetString(), HasSubstr("router.yaml"));
  const auto& denied = decisions[2]["route"];
  EXPECT_STREQ(denied["decision"].GetString(), "deny");
  EXPECT_EQ(denied["line"].GetInt(), 2);
  EXPECT_TRUE(denied["to"].IsNull());
  EXPECT_TRUE(denied["source"].IsNull());
  const auto& direct = decisions[4]["route"];
  EXPECT_STREQ(decisions[4]["entry"].GetString(), ".internal.example");
  EXPECT_STREQ(direct["decision"].GetString(), "direct");
  EXPECT_TRUE(direct["line"].IsNull());
  EXPECT_STREQ(direct["to"].GetString(), "a.internal.example:443");
  EXPECT_TRUE(direct["router"].IsNull());
  // .NET ignores networks: what Go keeps from the proxy depends there on a reverse look-up.
  EXPECT_STREQ(decisions[6]["route"]["decision"].GetString(), "direct");
  EXPECT_STREQ(decisions[7]["decision"].GetString(), "proxy");
  EXPECT_STREQ(decisions[7]["route"]["decision"].GetString(), "depends");
}

// One answer for each, so that what follows is no answer.
TEST_F(ThroughOptions, ResolveTakesOneWord) {
  const ProcessResult result =
      Run({"--through", router_, "--for", "dotnet", "--url", "https://10.1.2.3/", "--output", "json", "--resolve",
           "10.1.2.3=build.quay.io", "--resolve", "a.example=192.0.2.1,2001:db8::1", source_});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_STREQ(Json(result)["decisions"][0]["route"]["decision"].GetString(), "allow");
}

TEST_F(ThroughOptions, WithoutRoutersNothingChanges) {
  const ProcessResult result = Run({source_, "--url", "https://quay.io/", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(Not(HasSubstr("\"route\"")), Not(HasSubstr("\"required\""))));
}

TEST_F(ThroughOptions, TextForPeople) {
  const ProcessResult result =
      Through({"--url", "https://quay.io/", "https://a.internal.example/", "https://cdn.quay.io/", "--for", "go"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  go        proxy    http://10.0.0.9:8080: HTTPS_PROXY applies\n"
                                    "            allow    line 3"));
  EXPECT_THAT(result.out, HasSubstr("; to quay.io:443; seen as 10.42.253.45 ("));
  EXPECT_THAT(result.out, HasSubstr("            direct   it takes no router"));
  EXPECT_THAT(result.out, HasSubstr("            deny     line 2"));
}

TEST_F(ThroughOptions, TheTableShowsWhatIsRefused) {
  const std::string hosts = Write("hosts", "quay.io\ncdn.quay.io\na.internal.example\n");
  const ProcessResult result = Through({"--hosts", hosts, "--for", "go"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out,
            "destination         go\nquay.io             proxy\ncdn.quay.io         refused\n"
            "a.internal.example  direct\n");
}

TEST_F(ThroughOptions, RequiredDestinationsThatAreReached) {
  const std::string required = Write("required",
                                     "# what containerd pulls\nhttps://quay.io/ proxy 10.42.253.45\n"
                                     "registry.redhat.io proxy\nhttps://a.internal.example/ direct\nhttp://quay.io/\n");
  const ProcessResult result = Through({"--required", required, "--for", "go,curl", "--output", "json"});
  EXPECT_EQ(result.exit, 0) << result.out << result.err;
  const rapidjson::Document document = Json(result);
  EXPECT_EQ(document["decisions"].Size(), 8U);
  const auto& list = document["required"];
  ASSERT_EQ(list.Size(), 4U);
  EXPECT_STREQ(list[0]["url"].GetString(), "https://quay.io/");
  EXPECT_EQ(list[0]["line"].GetInt(), 2);
  EXPECT_STREQ(list[0]["decision"].GetString(), "proxy");
  EXPECT_STREQ(list[0]["source"].GetString(), "10.42.253.45");
  EXPECT_TRUE(list[0]["ok"].GetBool());
  EXPECT_EQ(list[0]["objections"].Size(), 0U);
  EXPECT_TRUE(list[3]["decision"].IsNull());
  EXPECT_EQ(Through({"--required", required, "--for", "go,curl"}).out,
            "required ok     https://quay.io/\nrequired ok     registry.redhat.io\n"
            "required ok     https://a.internal.example/\nrequired ok     http://quay.io/\n");
}

TEST_F(ThroughOptions, ARefusedOneOfThemExits4) {
  const std::string required = Write("required", "https://quay.io/\nhttps://cdn.quay.io/\n");
  const ProcessResult result = Through({"--required", required, "--for", "go", "--output", "json"});
  EXPECT_EQ(result.exit, 4);
  const rapidjson::Document document = Json(result);
  EXPECT_TRUE(document["required"][0]["ok"].GetBool());
  EXPECT_FALSE(document["required"][1]["ok"].GetBool());
  EXPECT_STREQ(document["required"][1]["objections"][0]["client"].GetString(), "go");
  EXPECT_FALSE(document.HasMember("error"));
  const ProcessResult text = Through({"--required", required, "--for", "go"});
  EXPECT_EQ(text.exit, 4);
  EXPECT_THAT(text.out, AllOf(HasSubstr("required ok     https://quay.io/\n"), HasSubstr("required FAILED "),
                              HasSubstr("1 of 2 required destinations")));
}

// One client of a node is enough: Go goes direct, .NET does not read the network.
TEST_F(ThroughOptions, EveryClientThatIsAskedForCounts) {
  const std::string required = Write("required", "https://10.1.2.3/ direct\n");
  EXPECT_EQ(Through({"--required", required, "--for", "go"}).exit, 0);
  const ProcessResult both = Through({"--required", required, "--for", "go,dotnet,python"});
  EXPECT_EQ(both.exit, 4);
  EXPECT_THAT(both.out, HasSubstr("  dotnet, python: goes through the proxy, and must go direct\n"));
}

TEST_F(ThroughOptions, RequiredWorksWithoutRouters) {
  const std::string required = Write("required", "https://quay.io/ proxy\nhttps://a.internal.example/ direct\n");
  EXPECT_EQ(Run({source_, "--required", required, "--for", "go"}).exit, 0);
  const std::string bare = Write("bare.env", "NO_PROXY=x\n");
  EXPECT_EQ(Run({bare, "--required", required, "--for", "go"}).exit, 4);
}

// As router explain does: a router that will not start lets nothing out, whatever its rules are.
TEST_F(ThroughOptions, WhatIsWrongWithTheRouterIsToldOf) {
  const std::string list = Write("list", "*.example\n!bad.example\n");
  const ProcessResult shadowed = Run({source_, "--through", list, "--url", "https://bad.example/", "--for", "go"});
  ASSERT_EQ(shadowed.exit, 0) << shadowed.err;
  EXPECT_THAT(shadowed.err, HasSubstr("warning [router-shadowed]"));
}

// A proxy of a cluster with OVN-Kubernetes: its pods have no interface of their own.
const char* const kProxyPod =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: proxy, namespace: egress, labels: {app: proxy}}\n"
    "spec: {nodeSelector: {kubernetes.io/os: linux}, containers: [{name: squid, image: x, env: [{name: "
    "EGRESS_HTTP_PROXY_DESTINATION, value: \"*\"}]}]}\n";
const char* const kEgressIp =
    "apiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata: {name: out}\nspec: {egressIPs: [10.0.0.99], "
    "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: egress}}, podSelector: {matchLabels: {app: "
    "proxy}}}\n---\n"
    "apiVersion: v1\nkind: Node\nmetadata: {name: w1, labels: {k8s.ovn.org/egress-assignable: \"\"}, annotations: "
    "{k8s.ovn.org/node-primary-ifaddr: '{\"ipv4\":\"10.0.0.1/24\"}', k8s.ovn.org/host-cidrs: '[\"10.0.0.1/24\"]'}}\n";
const char* const kFirewall =
    "apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {name: default, namespace: egress}\n"
    "spec: {egress: [{type: Allow, to: {dnsName: quay.io}}, {type: Deny, to: {cidrSelector: 0.0.0.0/0}}]}\n";

TEST_F(ThroughOptions, TheLastHopGivesTheAddressOrStopsIt) {
  const std::string proxy = Write("proxy.yaml", kProxyPod);
  const std::string objects = Write("objects.yaml", std::string(kEgressIp) + "---\n" + kFirewall);
  const std::string required = Write("required", "https://quay.io/ proxy 10.0.0.99\n");
  const ProcessResult result = Run({source_, "--through", proxy, objects, "--url", "https://quay.io/",
                                    "https://cdn.test/", "--required", required, "--for", "go", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.out << result.err;
  const rapidjson::Document document = Json(result);
  const auto& passes = document["decisions"][0]["route"];
  EXPECT_STREQ(passes["decision"].GetString(), "allow");
  EXPECT_EQ(passes["line"].GetInt(), 1);
  EXPECT_STREQ(passes["source"].GetString(), "10.0.0.99");
  const auto& stopped = document["decisions"][1]["route"];
  EXPECT_STREQ(stopped["decision"].GetString(), "deny");
  EXPECT_TRUE(stopped["line"].IsNull());
  EXPECT_TRUE(stopped["source"].IsNull());
  EXPECT_THAT(stopped["note"].GetString(), HasSubstr("rule 2 of the EgressFirewall of egress"));
}

TEST_F(ThroughOptions, ObjectsAloneAreThoseOfTheProxysPods) {
  const std::string objects = Write("objects.yaml", std::string(kFirewall) + "---\n" + kEgressIp);
  const std::string service =
      Write("service.env", "HTTPS_PROXY=http://proxy.egress.svc:3128\nHTTP_PROXY=http://proxy.egress.svc:3128\n");
  for (const std::string& source : {source_, service}) {
    const ProcessResult result = Run({source, "--through", objects, "--url", "https://quay.io/", "https://cdn.test/",
                                      "--for", "go", "--output", "json"});
    ASSERT_EQ(result.exit, 0) << result.err;
    const rapidjson::Document document = Json(result);
    // The EgressIP selects pods by labels, and nothing shows those of the proxy's.
    EXPECT_TRUE(document["decisions"][0]["route"]["source"].IsNull());
    EXPECT_THAT(document["decisions"][0]["route"]["note"].GetString(), HasSubstr("labels"));
    EXPECT_STREQ(document["decisions"][1]["route"]["decision"].GetString(), "deny");
  }
  const std::string nothing = Write("nothing.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n");
  EXPECT_EQ(Run({source_, "--through", nothing, "--url", "https://quay.io/"}).exit, 11);
}

// As before: what leaves by macvlan0 passes neither EgressIP nor EgressFirewall.
TEST_F(ThroughOptions, ARouterWithAnInterfaceOfItsOwnHasItsOwnAddress) {
  const std::string firewall = Write("firewall.yaml", kFirewall);
  const ProcessResult result = Run({source_, "--through", router_, firewall, "--url", "https://registry.redhat.io/",
                                    "--for", "go", "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_STREQ(Json(result)["decisions"][0]["route"]["source"].GetString(), "10.42.253.45");
}

TEST_F(ThroughOptions, AUrlThatIsNoneHasNoRoute) {
  const ProcessResult result = Through({"--url", "https://quay.io/", "nonsense", "--for", "go", "--output", "json"});
  EXPECT_EQ(result.exit, 10);
  EXPECT_STREQ(Json(result)["decisions"][1]["route"]["decision"].GetString(), "invalid");
}

TEST_F(ThroughOptions, TheHurriedUsersWords) {
  const std::string required = Write("required", "https://quay.io/ proxy 10.42.253.45\n");
  const ProcessResult no_router = Run({source_, "--required", required});
  EXPECT_EQ(no_router.exit, 10);
  EXPECT_THAT(no_router.err, AllOf(HasSubstr("--through FILE is missing"), HasSubstr("line 1")));
  const ProcessResult nothing = Through({});
  EXPECT_EQ(nothing.exit, 10);
  EXPECT_THAT(nothing.err, HasSubstr("--required FILE"));
  const ProcessResult resolve = Run({source_, "--url", "https://quay.io/", "--resolve", "a=10.0.0.1"});
  EXPECT_EQ(resolve.exit, 10);
  EXPECT_THAT(resolve.err, HasSubstr("--through"));
  EXPECT_EQ(Through({"--url", "https://quay.io/", "--resolve", "10.0.0.1"}).exit, 10);
  const ProcessResult missing = Through({"--required", At("no")});
  EXPECT_EQ(missing.exit, 11);
  EXPECT_THAT(missing.err, HasSubstr("[not-found]"));
  const ProcessResult row = Through({"--required", Write("bad", "quay.io\nquay.io prox\n")});
  EXPECT_EQ(row.exit, 11);
  EXPECT_THAT(row.err, AllOf(HasSubstr("[row]"), HasSubstr("line 2")));
  const ProcessResult swapped = Run({source_, "--through", source_, "--url", "https://quay.io/"});
  EXPECT_EQ(swapped.exit, 11);
}

TEST_F(ThroughOptions, PasswordsStayHidden) {
  const std::string secret = Write("secret.env", "HTTPS_PROXY=http://user:sesame@10.0.0.9:8080\n");
  const std::string required = Write("required", "https://user:sesame@quay.io/?token=sesame direct\n");
  for (const char* form : {"text", "json"}) {
    const ProcessResult result = Run({secret, "--through", router_, "--required", required, "--output", form});
    EXPECT_EQ(result.exit, 4);
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("sesame"))) << form;
    const ProcessResult swapped = Run({router_, "--through", secret, "--url", "https://quay.io/", "--output", form});
    EXPECT_EQ(swapped.exit, 11);
    EXPECT_THAT(swapped.out + swapped.err, Not(HasSubstr("sesame"))) << form;
  }
}

}  // namespace
}  // namespace prov
