// Recognising the kind of a document, and documents that are no source.
#include "provisioner/source/document_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"
#include "tests/source/document_helpers.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kProxyObject =
    R"({"apiVersion":"config.openshift.io/v1","kind":"Proxy","metadata":{"name":"cluster"},"spec":{},"status":{"httpProxy":"http://p:1"}})";
constexpr const char* kController =
    R"({"kind":"ControllerConfig","spec":{"proxy":{"httpProxy":"http://c:1"},"additionalTrustBundle":null}})";

// Each of them may be UTF-16, with a byte order mark or without, or have the mark of UTF-8: what > writes in Windows
// PowerShell, and what editors and programs on Windows save.
TEST(ReadDocument, TellsTheKindsApartInEachEncoding) {
  struct Row {
    const char* file;
    const char* kind;
    bool proxy;
    bool trust;
    std::size_t certificates;
  };
  const Row rows[] = {
      {"/golden/sources/proxy.yaml", "Proxy", true, true, 2},
      {"/golden/sources/proxy-list.json", "Proxy", true, true, 3},
      {"/golden/sources/config-map.yaml", "ConfigMap", false, true, 2},
      {"/golden/sources/hosted-cluster.yaml", "HostedCluster", true, true, 2},
      {"/golden/sources/rancher-cluster.json", "RancherCluster", true, false, 0},
      {"/golden/sources/trust-manager.yaml", "ConfigMap", false, true, 2},
      {"/golden/sources/cluster-trust-bundle.json", "ClusterTrustBundle", false, true, 2},
      {"/golden/sources/controller-config.json", "ControllerConfig", true, true, 2},
      {"/golden/sources/install-config.yaml", "InstallConfig", true, true, 1},
      {"/golden/sources/aks-file.json", "AKS", true, true, 1},
      {"/golden/sources/aks-arm.json", "AKS", true, true, 1},
      {"/golden/sources/aks-show.json", "AKS", true, true, 0},
      {"/golden/sources/deployment.yaml", "PodTemplate", true, false, 0},
      {"/golden/sources/proxy.env", "EnvironmentFile", true, false, 0},
      {"/golden/sources/bundle.pem", "PemBundle", false, true, 2},
      {"/sample/rendered-worker.json", "MachineConfig", true, true, 3},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.file);
    const std::string text = testing_support::ReadAll(testing_support::TestsFolder() + row.file);
    const auto plain = MustRead(text);
    EXPECT_EQ(plain.proxy_file.sha256.size(), row.proxy ? 64U : 0U);
    EXPECT_EQ(plain.trust_file.sha256.size(), row.trust ? 64U : 0U);
    std::string little = ToUtf16Le(text);
    std::string big = little;
    for (std::size_t i = 0; i + 1 < big.size(); i += 2) std::swap(big[i], big[i + 1]);
    for (const std::string& marked :
         {text, "\xEF\xBB\xBF" + text, "\xFF\xFE" + little, "\xFE\xFF" + big, little, big}) {
      const auto config = MustRead(marked);
      EXPECT_EQ(config.source.kind, row.kind);
      EXPECT_EQ(config.proxy_file.present, row.proxy);
      EXPECT_EQ(config.trust_file.present, row.trust);
      EXPECT_EQ(config.certificates.size(), row.certificates);
      EXPECT_EQ(config.http_proxy, plain.http_proxy);
      EXPECT_EQ(config.https_proxy, plain.https_proxy);
      EXPECT_EQ(config.no_proxy, plain.no_proxy);
      EXPECT_EQ(config.findings.size(), plain.findings.size());
    }
  }
}

TEST(ReadDocument, ReadsTheSameFromJsonAndYaml) {
  const auto json = ReadText(kController);
  const auto yaml = ReadText(
      "# comment\nkind: ControllerConfig\nspec:\n  proxy:\n    httpProxy: http://c:1\n  additionalTrustBundle: null\n");
  ASSERT_TRUE(json) << Failure(json);
  ASSERT_TRUE(yaml) << Failure(yaml);
  EXPECT_EQ(json->http_proxy, yaml->http_proxy);
  EXPECT_EQ(json->proxy_file.sha256, yaml->proxy_file.sha256);
  EXPECT_TRUE(yaml->trust_file.present);
}

TEST(ReadDocument, DescribesTheProxyEnvWithTheSameValues) {
  const auto config = MustRead(kProxyObject);
  const auto text = MustRead("HTTP_PROXY=http://p:1\n");
  EXPECT_EQ(config.proxy_file.sha256, text.proxy_file.sha256);
  EXPECT_EQ(config.proxy_file.bytes, text.proxy_file.bytes);
}

TEST(ReadDocument, TakesTheSurestStatementOfAListAndNamesTheOthers) {
  const std::string list = std::string(R"({"kind":"List","items":[)") + kProxyObject + "," + kController + "]}";
  const auto config = MustRead(list);
  EXPECT_EQ(config.source.kind, "ControllerConfig");
  EXPECT_THAT(MessageOf(config.findings, "other-objects"), StartsWith("a Proxy with its ConfigMap was passed over: "));
  const auto documents = MustRead("---\n" + std::string(kProxyObject) + "\n---\n" + kController + "\n---\n");
  EXPECT_EQ(documents.source.kind, "ControllerConfig");
}

// Certificates and a proxy that another kind of object keeps from being read.
TEST(ReadDocument, NamesConfigMapsAndPodsBesideWhatItReads) {
  const std::string map = "---\n" + ConfigMapYaml("my-ca", Pem("corporate-root"));
  const std::string aks = R"({"httpProxyConfig":{"httpProxy":"http://p:1/","httpsProxy":"http://p:1/"}})";
  const std::string rancher =
      R"({"apiVersion":"provisioning.cattle.io/v1","kind":"Cluster","spec":{"agentEnvVars":[{"name":"HTTP_PROXY","value":"http://p:1"}]}})";
  for (const std::string& one : {aks, rancher, std::string(kController)}) {
    const auto config = MustRead(one + "\n" + map);
    EXPECT_THAT(MessageOf(config.findings, "not-read"), HasSubstr("(my-ca); give it in a file of its own")) << one;
    EXPECT_TRUE(config.not_read.trust) << one;
    EXPECT_THAT(config.certificates, testing::IsEmpty());
  }
  const std::string settings = "---\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n";
  EXPECT_THAT(MustRead(aks + "\n" + settings).findings, Not(HasCode("not-read")));
  const auto with_bundle =
      MustRead(R"({"kind":"ControllerConfig","spec":{"proxy":{"httpProxy":"http://c:1"},"additionalTrustBundle":")" +
               EncodeBase64(Pem("corporate-intermediate")) + "\"}}\n" + map);
  EXPECT_THAT(MessageOf(with_bundle.findings, "other-objects"), HasSubstr("passed over (my-ca): a ControllerConfig"));
  EXPECT_FALSE(with_bundle.not_read.trust);
  const std::string pod =
      "---\nkind: Pod\nspec: {containers: [{name: a, env: [{name: HTTP_PROXY, value: http://p:1}]}]}\n";
  const auto trust_alone = MustRead(map + pod);
  EXPECT_EQ(trust_alone.source.kind, "ConfigMap");
  EXPECT_TRUE(trust_alone.not_read.proxy);
  EXPECT_THAT(MessageOf(trust_alone.findings, "not-read"),
              StartsWith("a pod or what makes pods, which is about a proxy"));
  for (const std::string& one : {aks, rancher, std::string(kProxyObject)}) {
    EXPECT_THAT(MessageOf(MustRead(one + "\n" + pod).findings, "other-objects"),
                StartsWith("a pod with proxy variables was passed over: "))
        << one;
    EXPECT_THAT(MustRead(one + "\n---\nkind: Pod\nspec: {containers: [{name: a}]}\n").findings,
                Not(HasCode("other-objects")));
  }
  EXPECT_TRUE(MustRead("kind: ControllerConfig\nspec: {proxy: null}\n" + pod).not_read.proxy);
}

TEST(ReadDocument, TypedListsLeaveTheKindOfTheirItemsOut) {
  const auto config = MustRead(
      R"({"apiVersion":"config.openshift.io/v1","kind":"ProxyList","items":[{"metadata":{"name":"cluster"},"status":{"httpProxy":"http://p:1"}}]})");
  EXPECT_EQ(config.source.name, "cluster");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://p:1");
}

TEST(ReadDocument, AMachineConfigAmongYamlDocumentsIsRead) {
  const std::string one =
      R"({"kind":"MachineConfig","metadata":{"name":"rendered-worker-00000000000000000000000000000001"},"spec":{"config":{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/mco/proxy.env","contents":{"source":"data:,HTTP_PROXY=http://m:1%0A"}}]}}}})";
  const auto config =
      MustRead("---\nkind: Pod\nspec: {}\n---\nkind: List\nitems:\n- " + one + "\n---\n" + kController + "\n");
  EXPECT_EQ(config.source.kind, "MachineConfig");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://m:1");
  const auto missing = ReadText("---\n" + one + "\n---\n" + one + "\n", {.pool = "master", .name = {}});
  EXPECT_THAT(Failure(missing), StartsWith("not-found: "));
}

// oc get machineconfigpool -o yaml; echo ---; oc get machineconfig -o yaml, and lists as the API server sends them.
TEST(ReadDocument, APoolAmongYamlDocumentsChoosesTheConfigOfItsNodes) {
  const auto config = [](char digit, const char* created) {
    return fmt::format(
        R"({{"metadata":{{"name":"rendered-worker-{0}","creationTimestamp":"{1}"}},"spec":{{"config":{{"ignition":{{"version":"3.2.0"}},"storage":{{"files":[{{"path":"/etc/mco/proxy.env","contents":{{"source":"data:,HTTP_PROXY=http://{2}:1%0A"}}}}]}}}}}}}})",
        std::string(32, digit), created, digit);
  };
  const std::string pool =
      "kind: MachineConfigPoolList\nitems:\n- metadata: {name: worker}\n  status: {configuration: {name: "
      "rendered-worker-" +
      std::string(32, 'a') + "}}\n";
  const std::string configs = "kind: MachineConfigList\nitems:\n- " + config('a', "2026-01-01T00:00:00Z") + "\n- " +
                              config('b', "2026-02-01T00:00:00Z") + "\n";
  for (const std::string& text : {pool + "---\n" + configs, configs + "---\n" + pool}) {
    const auto read = MustRead(text);
    EXPECT_EQ(read.http_proxy->Reveal(), "http://a:1");
  }
}

// currentconfig on a node, and what the Machine Config Server puts into its answers: no kind, nor apiVersion.
TEST(ReadDocument, AMachineConfigIsKnownWithoutItsKind) {
  const std::string name = "rendered-worker-" + std::string(32, 'c');
  const std::string members = fmt::format(
      R"("metadata":{{"name":"{}"}},"spec":{{"osImageURL":"x","config":{{"ignition":{{"version":"3.2.0"}},"storage":{{"files":[{{"path":"/etc/mco/proxy.env","contents":{{"source":"data:,HTTP_PROXY=http://c:1%0A"}}}}]}}}}}}}})",
      name);
  const std::string pool = fmt::format(
      R"({{"kind":"MachineConfigPool","metadata":{{"name":"worker"}},"status":{{"configuration":{{"name":"{}"}}}}}})",
      name);
  for (const std::string& text :
       {"{" + members, "{\"kind\":\"\"," + members,
        "{\"apiVersion\":\"machineconfiguration.openshift.io/v1\"," + members,
        R"({"kind":"List","items":[{)" + members + "," + pool + "]}", pool + "\n{" + members}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.source.kind, "MachineConfig");
    EXPECT_EQ(config.source.name, name);
    EXPECT_EQ(config.http_proxy->Reveal(), "http://c:1");
  }
  EXPECT_THAT(Failure(ReadText(R"({"spec":{"config":{"ignition":"3"}}})")), StartsWith("kind: expected"));
}

// As jq or two runs of oc print them, and with YAML among them.
TEST(ReadDocument, ReadsJsonAndYamlOfOneText) {
  const std::string proxy =
      R"({"apiVersion":"config.openshift.io/v1","kind":"Proxy","metadata":{"name":"cluster"},"spec":{"trustedCA":{"name":"user-ca-bundle"}},"status":{"httpProxy":"http://p:1"}})";
  const std::string map = R"({"kind":"ConfigMap","metadata":{"name":"user-ca-bundle"},"data":{"ca-bundle.crt":")" +
                          Escaped(Pem("corporate-root")) + "\"}}";
  const std::string yaml = ConfigMapYaml("user-ca-bundle", Pem("corporate-root"));
  for (const std::string& text :
       {proxy + "\n" + map, proxy + map, map + "\n---\n" + proxy + "\n---\n", proxy + "\n" + yaml,
        proxy + "\n---\n# a map\n" + yaml, yaml + proxy, yaml + "---\n" + proxy + "\n",
        proxy + "\n" + Indented(yaml, 2), Indented(yaml, 2) + "\n" + proxy, "# first\n---\n" + proxy + "\n" + yaml,
        R"({"kind":"List","items":[)" + proxy + "]}\n" + yaml}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.source.kind, "Proxy") << text;
    EXPECT_EQ(config.http_proxy->Reveal(), "http://p:1");
    EXPECT_EQ(config.certificates.size(), 1U) << text;
  }
  EXPECT_EQ(MustRead(map + "\n" + proxy).proxy_file.path, "$[1].status");
  for (const std::string junk : {"}", "]", "x", "text of a person", "\"a\"", "1"})
    EXPECT_FALSE(ReadText(proxy + "\n" + junk)) << junk;
  EXPECT_THAT(Failure(ReadText(proxy + " kind: Proxy")), HasSubstr("must not be followed by other values"));
  EXPECT_THAT(Failure(ReadText(proxy + "\n\n{\n \"kind\": x}")), HasSubstr("(line 4, column 10)"));
  EXPECT_THAT(Failure(ReadText(proxy + "\nkind: [a\n")), HasSubstr("(line 3, column 1)"));
  EXPECT_THAT(Failure(ReadText("kind: Proxy\nkind: ConfigMap\n")), HasSubstr("write a line --- before it"));
}

TEST(ReadDocument, RefusesWhatIsNoSource) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "json: is empty; did the command"},
      {" \n\n", "json: is empty; did the command"},
      {"# only a comment\n", "yaml: the document is empty"},
      {"<!DOCTYPE html>\n<html><body>login</body></html>\n", "kind: "},
      {"<html>", "kind: expected a MachineConfig or an Ignition config, found HTML or XML"},
      {"hello", "kind: expected a MachineConfig"},
      {"error: You must be logged in to the server (Unauthorized)\n", "kind: is an error message"},
      {R"({"kind":"Secret","data":{}})", "kind: expected a MachineConfig"},
      {R"({"kind":"Proxy","apiVersion":"example.com/v1","spec":{}})", "kind: "},
      {R"({"schema":1,"source":{},"proxy":{"HTTP_PROXY":"http://p:1"}})",
       "kind: is a document that provisioner wrote and not a source"},
      {std::string("MZ\x90\0", 4), "kind: is a program for Windows and not a source; give the document"},
      {std::string(257, '\0') + "ustar", "kind: is a tar archive and not a source; unpack it"},
      {std::string("\3757zXZ\0\0\4", 8), "kind: is an xz archive and not a source; unpack it"},
      {std::string("\x28\xb5\x2f\xfd\0", 5), "kind: is a zstd archive and not a source; unpack it"},
      {"[Service]\nExecStart=/bin/true\n", "kind: is a unit or drop-in of systemd without any of HTTP_PROXY"},
      {"'{\"httpProxy\":\"http://p:1\"}'\r\n", "kind: holds JSON within quotes, as cmd.exe leaves them"},
      {"{'httpProxy': 'http://p:1'}",
       "json: not JSON: Missing a name for object member; JSON wants double quotes (\"name\"), not single"},
      {"{httpProxy: http://p:1}",
       "json: not JSON: Missing a name for object member; JSON wants names in double quotes"},
      {"Name    Location\n------  ----------\nweb     westeurope\n", "kind: is the table that az prints"},
      {R"({"kind":"Status","status":"Failure","message":"proxies \"cluster\" is forbidden"})",
       "kind: is an error message and no output of a command (proxies \"cluster\" is forbidden)"},
      {R"({"kind":"Status"})", "kind: is an error message and no output of a command; correct"},
      {"MZ=1\n", "kind: the environment file assigns none"},
      {R"({"kind":"List","items":[]})", "not-found: "},
      {R"([{"spec":{}}])",
       "kind: expected a MachineConfig or an Ignition config, found an array; give a List, or the objects in a row"},
      {R"([{"kind":"Node"}])", "not-found: a MachineConfig named"},
      {R"({"kind":"ControllerConfig","spec":{})", "json: "},
      {"kind: Proxy\nkind: Proxy\n", "yaml: the key \"kind\" occurs twice"},
      {R"({"kind":"ControllerConfig","spec":{},"spec":{"proxy":null}})",
       "invalid-config: the key \"spec\" occurs twice, and readers differ in which one they take ($)"},
      {std::string("\xFF\xFE{\0}", 5), "json: the document is UTF-16"},
      {std::string("\xFF\xFE{\0}\0", 6), "kind: expected a MachineConfig"},
  };
  for (const auto& [text, failure] : rows) EXPECT_THAT(Failure(ReadText(text)), StartsWith(failure)) << text;
  EXPECT_THAT(Failure(ReadText(R"({"kind":"Secret"})")), HasSubstr("also read are a ControllerConfig"));
  EXPECT_THAT(Failure(ReadText("<html>")), Not(HasSubstr("also read are")));
}

TEST(ReadDocument, NothingButAnObjectMayBeBesideAnother) {
  const std::string proxy(kProxyObject);
  const std::pair<std::string, std::string> rows[] = {
      {"HTTP_PROXY=http://p:1\nNO_PROXY=a\n", "kind: an object is expected beside others, found a string ($[1])"},
      {"    -----BEGIN CERTIFICATE-----\n    AAAA\n", "kind: an object is expected beside others, found a string"},
      {"Error from server (NotFound): proxies \"x\" not found\n",
       "kind: is an error message and no output of a command (Error from server (NotFound): proxies \"x\" not found)"},
      {"No resources found\n", "kind: is an error message and no output of a command (No resources found)"},
      {"{kind: Status, status: Failure, message: gone}\n",
       "kind: is an error message and no output of a command (gone)"},
      {"- a\n",
       "kind: an object is expected beside others, found an array; give a List, or the objects in a row ($[1])"},
      {"7\n", "kind: an object is expected beside others, found an integer"},
  };
  for (const auto& [text, failure] : rows) {
    EXPECT_THAT(Failure(ReadText("---\nkind: ConfigMap\n---\n" + text)), StartsWith(failure)) << text;
    EXPECT_THAT(Failure(ReadText("kind: Proxy\n---\n" + text)), StartsWith(failure)) << text;
  }
  EXPECT_THAT(Failure(ReadText(proxy + "[" + kController + "]")), StartsWith("kind: an object is expected beside"));
  EXPECT_THAT(Failure(ReadText(R"({"kind":"List","items":[)" + proxy + R"(,"x"]})")), HasSubstr("($.items[1])"));
  for (const char* text : {"# only a comment\n", "", "null\n", "~\n", "{}\n", "[]\n", "a: b\n"})
    EXPECT_EQ(MustRead("kind: ControllerConfig\nspec: {proxy: null}\n---\n" + std::string(text)).source.kind,
              "ControllerConfig")
        << text;
}

TEST(ReadDocument, ReadsListsWithinListsAndAnArrayOfObjects) {
  const std::string list = std::string(R"({"kind":"List","items":[)") + kController + "]}";
  const std::string pool = testing_support::ReadAll(testing_support::TestsFolder() + "/sample/rendered-worker.json");
  for (const std::string& text : {R"({"kind":"List","items":[)" + list + "]}", "[" + list + "]",
                                  std::string("[") + kController + "," + R"({"kind":"Node"}])"})
    EXPECT_EQ(MustRead(text).http_proxy->Reveal(), "http://c:1") << text;
  for (const std::string& text : {R"({"kind":"List","items":[{"kind":"List","items":[)" + pool + "]}]}",
                                  "[" + pool + "]", R"([{"kind":"MachineConfigList","items":[)" + pool + "]}]"})
    EXPECT_EQ(MustRead(text).certificates.size(), 3U);
  std::string deep = kController;
  for (int i = 0; i < 9; ++i) deep = R"({"kind":"List","items":[)" + deep + "]}";
  EXPECT_THAT(Failure(ReadText(deep)), StartsWith("too-large: Lists are within each other more than 8 levels deep"));
}

TEST(ReadDocument, AnErrorNamesTheInputThatItIsIn) {
  const std::pair<std::string, std::string> rows[] = {
      {"{\n  \"kind\": x\n}", "input: line 2, column 11"},
      {"kind: [a\n", "input: line 2, column 1"},
      {R"({"kind":"Secret"})", "input: $.kind"},
      {"hello", "input"},
  };
  for (const auto& [text, place] : rows) {
    const auto read = ReadText(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(PlaceOf(read.error()), place) << text;
  }
}

TEST(ReadDocument, SeveralOfAKindWantAName) {
  const std::string list =
      R"({"kind":"List","items":[{"kind":"Proxy","metadata":{"name":"a"},"status":{"httpProxy":"http://a:1"}},
                                {"kind":"Proxy","metadata":{"name":"b"},"status":{"httpProxy":"http://b:1"}}]})";
  EXPECT_THAT(Failure(ReadText(list)), StartsWith("not-found: 2 objects Proxy are there"));
  const auto named = MustRead(list, {.pool = "worker", .name = "b"});
  EXPECT_EQ(named.http_proxy->Reveal(), "http://b:1");
  EXPECT_EQ(Failure(ReadText(list, {.pool = "worker", .name = "c"})),
            "not-found: the Proxy \"c\" is wanted, and is not there ($.items[0])");
}

TEST(ReadDocument, BoundsTheNumberOfObjects) {
  std::string list = R"({"kind":"ConfigMapList","items":[{})";
  for (int i = 0; i < 100000; ++i) list += ",{}";
  EXPECT_THAT(Failure(ReadText(list + "]}")), StartsWith("too-large: more than 100000 objects"));
}

TEST(ReadDocument, KeepsThePasswordOutOfFindingsAndErrors) {
  for (const std::string text :
       {R"({"kind":"Proxy","spec":{"httpProxy":"http://u:c4nary@p:1","noProxy":"a"},"status":{}})",
        R"({"kind":"Proxy","spec":{"httpProxy":"http://u:c4nary@p:1"},"status":{"httpProxy":"http://u:c4nary@q:1"}})",
        R"({"httpProxy":"http://u:c4nary@p:99999","httpsProxy":"http://u:c4nary@p:1"})",
        R"({"kind":"Pod","spec":{"containers":[{"env":[{"name":"HTTP_PROXY","value":"http://u:c4nary@$(A):1"}]}]}})"}) {
    const auto config = MustRead(text);
    EXPECT_FALSE(config.findings.empty());
    for (const Finding& finding : config.findings) {
      EXPECT_THAT(finding.message + finding.where, Not(HasSubstr("c4nary"))) << text;
    }
  }
}

}  // namespace
}  // namespace prov::source
