// Settings from what oc adm must-gather and oc adm inspect collected.
#include "provisioner/source/gathered_source.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "provisioner/base/sentence.h"
#include "tests/source/document_helpers.h"
#include "tests/source/tar_helpers.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov::source {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kCollectedProxies = "cluster-scoped-resources/config.openshift.io/proxies";
constexpr const char* kCollectedConfigs = "cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigs";
constexpr const char* kCollectedMaps = "namespaces/openshift-config/core/configmaps";

using Collected = std::map<std::string, std::string>;

std::string CollectedProxy(const std::string& host, int version, const std::string& uid = "u1") {
  return fmt::format(
      "---\napiVersion: config.openshift.io/v1\nkind: Proxy\nmetadata: {{name: cluster, uid: {}, resourceVersion: "
      "\"{}\"}}\nspec: {{trustedCA: {{name: user-ca-bundle}}}}\nstatus: {{httpProxy: \"http://{}:1\"}}\n",
      uid, version, host);
}

std::string CollectedConfig(char digit) {
  return fmt::format(
      R"({{"apiVersion":"machineconfiguration.openshift.io/v1","kind":"MachineConfig","metadata":{{"name":"rendered-worker-{0}"}},"spec":{{"config":{{"ignition":{{"version":"3.2.0"}},"storage":{{"files":[{{"path":"/etc/mco/proxy.env","contents":{{"source":"data:,HTTP_PROXY=http://{1}:1%0A"}}}}]}}}}}}}})",
      std::string(32, digit), digit);
}

// Of an archive and of a folder, which must give the same.
Result<egress::EgressConfig> ReadCollected(const Collected& files, const ignition::Selection& selection = {}) {
  const testing_support::ScratchFolder scratch;
  std::string archive;
  for (const auto& [path, bytes] : files) {
    archive += TarFile("must-gather/" + path, bytes);
    const std::filesystem::path file = scratch.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  auto out = ReadDocument(archive + TarEnd(), "input", selection, nullptr);
  const auto folder = ReadGatheredFolder(scratch.path().generic_string(), selection, nullptr);
  EXPECT_EQ(out.has_value(), folder.has_value());
  if (out && folder) {
    EXPECT_EQ(out->proxy_file.sha256, folder->proxy_file.sha256);
  } else if (!out && !folder) {
    EXPECT_EQ(out.error().code, folder.error().code);
  }
  return out;
}

TEST(GatheredSource, TakesTheConfigOfThePoolsNodesFromItsOwnFile) {
  const auto read = Must(ReadCollected(
      {{fmt::format("{}/a.yaml", kCollectedConfigs), CollectedConfig('a')},
       {fmt::format("{}/b.yaml", kCollectedConfigs), CollectedConfig('b')},
       {"cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools.yaml",
        "kind: MachineConfigPoolList\napiVersion: machineconfiguration.openshift.io/v1\nitems:\n- metadata: {name: "
        "worker}\n  status: {configuration: {name: rendered-worker-" +
            std::string(32, 'a') + "}}\n"},
       {fmt::format("{}/cluster.yaml", kCollectedProxies), CollectedProxy("p", 1)},
       {"cluster-scoped-resources/core/nodes/n.yaml", "not: [yaml"},
       {"timestamp", "now"}}));
  EXPECT_EQ(read.source.kind, "MachineConfig");
  EXPECT_EQ(read.http_proxy->Reveal(), "http://a:1");
  EXPECT_THAT(read.findings, HasCode("other-objects"));
  EXPECT_THAT(read.findings, Not(HasCode("newest-of-list")));
}

TEST(GatheredSource, NamesTheFileAndThePlaceOfAnObject) {
  const auto proxy =
      Must(ReadCollected({{fmt::format("{}.yaml", kCollectedProxies),
                           "apiVersion: config.openshift.io/v1\nkind: ProxyList\nitems:\n- metadata: {name: "
                           "cluster}\n  spec: {}\n  status: {httpProxy: \"http://p:1\"}\n"},
                          {fmt::format("{}.yaml", kCollectedMaps),
                           "kind: ConfigMapList\napiVersion: v1\nitems:\n- metadata: {name: a, namespace: "
                           "openshift-config}\n- metadata: {name: user-ca-bundle, namespace: "
                           "openshift-config}\n  data:\n    ca-bundle.crt: |\n" +
                               Indented(Pem("corporate-root"), 6)}}));
  EXPECT_EQ(proxy.certificates.size(), 1U);
  EXPECT_EQ(proxy.proxy_file.path, fmt::format("must-gather/{}.yaml: $.items[0].status", kCollectedProxies));
  EXPECT_THAT(proxy.trust_file.path,
              StartsWith(fmt::format("must-gather/{}.yaml: $.items[1].data[\"ca-bundle.crt\"]", kCollectedMaps)));
  const std::pair<std::string, std::string> rows[] = {
      {"kind: [a\n", "line 2, column 1"},
      {"", ""},
      {"kind: Proxy\napiVersion: config.openshift.io/v1\nstatus: {httpProxy: [1]}\n", "$.status.httpProxy"},
      {"kind: Pod\n---\nkind: Proxy\nstatus: {httpProxy: 1}\n", "$[1].status.httpProxy"},
  };
  for (const auto& [text, place] : rows) {
    const auto read = ReadCollected({{fmt::format("{}/cluster.yaml", kCollectedProxies), text}});
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(PlaceOf(read.error()), fmt::format("input: must-gather/{}/cluster.yaml{}{}", kCollectedProxies,
                                                 place.empty() ? "" : ": ", place));
  }
}

TEST(GatheredSource, CopiesOfOneObjectCountOnce) {
  const std::string first = fmt::format("a/{}/cluster.yaml", kCollectedProxies);
  const std::string second = fmt::format("b/{}/cluster.yaml", kCollectedProxies);
  const auto same = Must(ReadCollected({{first, CollectedProxy("p", 7)}, {second, CollectedProxy("p", 9)}}));
  EXPECT_THAT(same.findings, Not(HasCode("newest-of-copies")));
  for (const int version : {9, 100}) {
    const auto newest = ReadCollected({{first, CollectedProxy("a", 99)}, {second, CollectedProxy("b", version)}});
    ASSERT_TRUE(newest) << Failure(newest);
    EXPECT_EQ(newest->http_proxy->Reveal(), version > 99 ? "http://b:1" : "http://a:1");
    EXPECT_THAT(newest->findings, HasCode("newest-of-copies"));
  }
  EXPECT_THAT(Failure(ReadCollected({{first, CollectedProxy("a", 9)}, {second, CollectedProxy("b", 9)}})),
              AllOf(StartsWith("invalid-config: the Proxy \"cluster\" differs from the copy at must-gather/a/"),
                    HasSubstr("none has a newer resourceVersion")));
  EXPECT_THAT(Failure(ReadCollected({{first, CollectedProxy("a", 9)}, {second, CollectedProxy("b", 10, "u2")}})),
              HasSubstr("is another object by its uid"));
}

TEST(GatheredSource, ACollectionWithoutSettingsIsAnError) {
  EXPECT_THAT(Failure(ReadCollected({{"namespaces/default/pods/a/a.yaml", "kind: Pod\n"}})),
              AllOf(StartsWith("kind: holds no object that states settings"), HasSubstr("oc adm inspect")));
  EXPECT_THAT(Failure(ReadCollected({{"cluster-scoped-resources/config.openshift.io/images.yaml",
                                      "apiVersion: config.openshift.io/v1\nkind: ImageList\nitems: []\n"}})),
              StartsWith("kind: holds no object that states settings"));
  EXPECT_THAT(Failure(ReadCollected({{fmt::format("{}/a.yaml", kCollectedConfigs), CollectedConfig('a')}},
                                    {.pool = "infra", .name = {}})),
              AllOf(StartsWith("not-found: "), HasSubstr("rendered-infra")));
}

}  // namespace
}  // namespace prov::source
