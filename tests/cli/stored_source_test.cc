// A source on a server: from the command line to the words that a node stores, and back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "provisioner/base/file.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/machine_command.h"
#include "provisioner/source/source_cache.h"
#include "tests/support/memory_host.h"
#include "tests/support/memory_paths.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kStoredUrl[] = "https://h.example.com/worker.json?v=1";

std::string SamplePath(const std::string& name) { return testing_support::SampleFolder() + name; }

Result<node::SourceWords> WordsToStore(std::vector<std::string> words) {
  const Arguments arguments = PROV_TRY(ParseArguments(FirstBootCommand().spec, words));
  return StoredWords(arguments, arguments.positional());
}

TEST(StoredSource, KeepsHowAServerIsAsked) {
  const auto words = WordsToStore({"mcs://h/worker", "--ca", "ca.pem", "--source-proxy", "http://u:a,b@p:1",
                                   "--source-timeout", "30", "--service", "containerd,kubelet"});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_EQ(words->front(), "mcs://h/worker");
  EXPECT_THAT(*words, Contains("--source-proxy=http://u:a,b@p:1"));
  EXPECT_THAT(*words, Contains("--source-timeout=30"));
  EXPECT_THAT(*words, Contains("--service=kubelet"));
  const auto ca = std::ranges::find_if(*words, [](const std::string& word) { return word.starts_with("--ca="); });
  ASSERT_NE(ca, words->end());
  EXPECT_TRUE(ca->ends_with("ca.pem") && *ca != "--ca=ca.pem") << *ca;
}

TEST(StoredSource, KeepsWhereThePolicyOfPodsIs) {
  const auto words =
      WordsToStore({"/p/worker.json", "--hns-policy", "policy.json", "--hns-pods", "shop", "--scope", "certs,hns"});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_THAT(*words, Contains("--hns-pods=shop"));
  EXPECT_THAT(*words, Contains("--scope=hns"));
  const auto file = std::ranges::find_if(*words, [](const auto& word) { return word.starts_with("--hns-policy="); });
  ASSERT_NE(file, words->end());
  EXPECT_TRUE(file->ends_with("policy.json") && *file != "--hns-policy=policy.json") << *file;
}

class StoredSourceOnAServer : public testing::Test {
 protected:
  StoredSourceOnAServer() {
    host_.web = [this](const net::FetchRequest& request) { return Answer(request); };
  }

  Result<net::FetchAnswer> Answer(const net::FetchRequest& request) {
    net::FetchAnswer out;
    out.status = 200;
    out.headers = {{"etag", "\"1\""}};
    out.body = testing_support::SampleText("rendered-worker.json");
    for (const auto& [name, value] : request.headers) {
      if (name != "If-None-Match" || value != "\"1\"") continue;
      out.status = 304;
      out.body.clear();
    }
    return out;
  }

  testing_support::MemoryHost host_;
};

TEST_F(StoredSourceOnAServer, IsAskedAsTheWordsSay) {
  const node::SourceWords words = {kStoredUrl, "--ca=" + SamplePath("corporate-root.pem"), "--source-proxy=http://p:1",
                                   "--source-timeout=30", "--service=containerd"};
  const auto settings = ReadStoredSettings(host_, words, {});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->config.certificates.size(), 3U);
  ASSERT_THAT(host_.fetches, SizeIs(1));
  EXPECT_THAT(host_.fetches[0].roots, SizeIs(1));
  EXPECT_EQ(host_.fetches[0].proxy_url, Secret("http://p:1"));
  EXPECT_EQ(host_.fetches[0].total_seconds, 30);
  EXPECT_THAT(host_.checked_sources, ElementsAre(SamplePath("corporate-root.pem")));
}

TEST_F(StoredSourceOnAServer, ACaFileOfOthersIsRefused) {
  host_.source_error = Error{Code::kOwner, "Users may change it", "ca.pem"};
  const auto settings = ReadStoredSettings(host_, {kStoredUrl, "--ca=" + SamplePath("corporate-root.pem")}, {});
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, Code::kOwner);
  EXPECT_THAT(host_.fetches, SizeIs(0));
}

// What it delivers comes into the store that would say who the server is.
TEST_F(StoredSourceOnAServer, IsNotKnownByTheNodesOwnStore) {
  const auto settings = ReadStoredSettings(host_, {kStoredUrl}, {});
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, Code::kUsage);
  EXPECT_EQ(settings.error().where, "--ca");
  EXPECT_THAT(host_.fetches, SizeIs(0));
  const std::string hash = ToHex(Sha256(testing_support::SampleText("rendered-worker.json")));
  EXPECT_TRUE(ReadStoredSettings(host_, {std::string(kStoredUrl) + "#sha256=" + hash}, {})) << "known by its digest";
}

TEST_F(StoredSourceOnAServer, ThatDidNotChangeIsRemembered) {
  source::SourceCache cache;
  for (int round = 0; round < 3; ++round) {
    const auto settings =
        ReadStoredSettings(host_, {kStoredUrl, "--ca=" + SamplePath("corporate-root.pem")}, {}, &cache);
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(settings->config.certificates.size(), 3U);
  }
  ASSERT_THAT(host_.fetches, SizeIs(3));
  EXPECT_THAT(host_.fetches[2].headers, Contains(std::pair<std::string, std::string>("If-None-Match", "\"1\"")));
}

// What first-boot stores is read by the service in the same way.
TEST(StoredSource, AnAksListKeepsItsSuffixes) {
  const std::string file = testing_support::TestsFolder() + "/golden/sources/aks-show.json";
  const auto words = WordsToStore({file, "--add-cluster-suffixes"});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_THAT(*words, Contains("--add-cluster-suffixes"));
  testing_support::MemoryHost host;
  const auto settings = ReadStoredSettings(host, *words, {});
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(*settings->config.no_proxy, testing::EndsWith(",.svc,.cluster.local"));
  const auto refused = ReadStoredSettings(host, {SamplePath("rendered-worker.json"), "--add-cluster-suffixes"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "--add-cluster-suffixes");
}

// Whatever it is for: a user who can write it would decide what SYSTEM trusts, or does not.
TEST(StoredSource, EachFileThatARoundReadsIsChecked) {
  constexpr char kSource[] = R"(C:\egress\worker.json)";
  constexpr char kPem[] = R"(C:\egress\certificates.pem)";
  const std::string pem = testing_support::SampleText("corporate-root.pem");
  testing_support::MemoryPaths paths;
  paths.PutFolder(R"(C:\egress)");
  paths.PutFile(kSource, testing_support::SampleText("rendered-worker.json"));
  paths.PutFile(kPem, pem);
  testing_support::MemoryHost host;
  host.paths = &paths;
  const node::SourceWords rows[] = {
      {kSource}, {kSource, fmt::format("--subtract={}", kPem)}, {kSource, fmt::format("--ca={}", kPem)}, {kPem}};
  for (const node::SourceWords& words : rows) {
    const std::string decides = words.size() == 1 ? words[0] : kPem;
    const auto closed = ReadStoredSettings(host, words, {});
    ASSERT_TRUE(closed) << words.back() << ": " << closed.error().message;
    const machine::PathFacts before = paths.At(decides).facts;
    paths.At(decides).facts.dacl += "(A;;FW;;;BU)";
    const auto open = ReadStoredSettings(host, words, {});
    ASSERT_FALSE(open) << words.back();
    EXPECT_EQ(open.error().code, Code::kOwner);
    EXPECT_EQ(open.error().where, decides);
    EXPECT_THAT(open.error().message, HasSubstr("can be changed by Users (S-1-5-32-545)"));
    paths.At(decides).facts = before;
  }
}

TEST(SourceTimeout, HasBounds) {
  testing_support::MemoryHost host;
  for (const char* value : {"0", "3601", "-1", "x", ""}) {
    const auto settings = ReadStoredSettings(host, {kStoredUrl, "--source-timeout=" + std::string(value)}, {});
    ASSERT_FALSE(settings);
    EXPECT_EQ(settings.error().code, Code::kUsage) << value;
  }
  EXPECT_THAT(host.fetches, SizeIs(0));
}

}  // namespace
}  // namespace prov::cli
