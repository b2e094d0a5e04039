// How a node reads the source that it follows.
#include "provisioner/node/source_reader.h"

#include <gmock/gmock.h>

#include <fstream>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/source/source.h"
#include "provisioner/userdata/user_data.h"
#include "provisioner/userdata/user_data_secret.h"
#include "tests/node/node_helpers.h"
#include "tests/support/memory_paths.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr char kUrl[] = "https://h.example.com/worker.json?v=1";

std::string SamplePath(const std::string& name) { return testing_support::SampleFolder() + name; }

Result<Settings> ReadFollowed(machine::Host& host, const SettingsSpec& spec, source::SourceCache* cache = nullptr) {
  return ReadSettings(host, spec, {.is_followed = true, .cache = cache});
}

class FollowedServer : public testing::Test {
 protected:
  FollowedServer() {
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

  const SettingsSpec spec_ = {.source = {.source = kUrl, .ca_file = SamplePath("corporate-root.pem")}};
  testing_support::MemoryHost host_;
};

TEST_F(FollowedServer, IsAskedAsTheSpecSays) {
  SettingsSpec spec = spec_;
  spec.source.proxy_url = Secret("http://p:1");
  spec.source.timeout_seconds = 30;
  spec.choices.services = {"containerd"};
  const auto settings = Must(ReadFollowed(host_, spec));
  EXPECT_EQ(settings.config.certificates.size(), 3U);
  EXPECT_THAT(settings.options.services, ElementsAre("containerd"));
  ASSERT_THAT(host_.fetches, SizeIs(1));
  EXPECT_THAT(host_.fetches[0].roots, SizeIs(1));
  EXPECT_EQ(host_.fetches[0].proxy_url, Secret("http://p:1"));
  EXPECT_EQ(host_.fetches[0].total_seconds, 30);
  EXPECT_THAT(host_.checked_sources, ElementsAre(SamplePath("corporate-root.pem")));
}

TEST_F(FollowedServer, ACaFileOfOthersIsRefused) {
  host_.source_error = Error{Code::kOwner, "Users may change it", "ca.pem"};
  EXPECT_EQ(ErrorIn(ReadFollowed(host_, spec_)).code, Code::kOwner);
  EXPECT_THAT(host_.fetches, SizeIs(0));
}

// What it delivers comes into the store that would say who the server is.
TEST_F(FollowedServer, IsNotKnownByTheNodesOwnStore) {
  const Error settings = ErrorIn(ReadFollowed(host_, SpecOf(kUrl)));
  EXPECT_EQ(settings.code, Code::kUsage);
  EXPECT_EQ(settings.where, "--ca");
  EXPECT_THAT(host_.fetches, SizeIs(0));
  const std::string hash = ToHex(Sha256(testing_support::SampleText("rendered-worker.json")));
  EXPECT_TRUE(ReadFollowed(host_, SpecOf(std::string(kUrl) + "#sha256=" + hash))) << "known by its digest";
}

TEST_F(FollowedServer, ThatDidNotChangeIsRemembered) {
  source::SourceCache cache;
  for (int round = 0; round < 3; ++round) {
    const auto settings = Must(ReadFollowed(host_, spec_, &cache));
    EXPECT_EQ(settings.config.certificates.size(), 3U);
  }
  ASSERT_THAT(host_.fetches, SizeIs(3));
  EXPECT_THAT(host_.fetches[2].headers, Contains(std::pair<std::string, std::string>("If-None-Match", "\"1\"")));
}

TEST(SourceReader, OnlyAnAksListGetsSuffixes) {
  testing_support::MemoryHost host;
  SettingsSpec spec = SpecOf(testing_support::TestsFolder() + "/golden/sources/aks-show.json");
  spec.source.add_cluster_suffixes = true;
  const auto settings = Must(ReadFollowed(host, spec));
  EXPECT_THAT(*settings.config.no_proxy, testing::EndsWith(",.svc,.cluster.local"));
  spec.source.source = SamplePath("rendered-worker.json");
  const Error refused = ErrorIn(ReadFollowed(host, spec));
  EXPECT_EQ(refused.where, "--add-cluster-suffixes");
}

// A collection is of one moment, and nobody signs it.
TEST(SourceReader, ACollectionIsReadAndNeitherFollowedNorTakenForAPayload) {
  const testing_support::ScratchFolder scratch;
  const std::filesystem::path proxies = scratch.path() / "cluster-scoped-resources/config.openshift.io/proxies";
  std::filesystem::create_directories(proxies);
  std::ofstream(proxies / "cluster.yaml")
      << "apiVersion: config.openshift.io/v1\nkind: Proxy\nmetadata: {name: cluster}\nspec: {}\nstatus: {httpProxy: "
         "\"http://p:1\"}\n";
  testing_support::MemoryHost host;
  const SettingsSpec spec = SpecOf(scratch.path().generic_string());
  const auto read = Must(ReadSettings(host, spec, {}));
  EXPECT_EQ(read.config.http_proxy->Reveal(), "http://p:1");
  EXPECT_EQ(read.payload, "");
  const Error followed = ErrorIn(ReadFollowed(host, spec));
  EXPECT_EQ(followed.code, Code::kKind);
  EXPECT_THAT(followed.message, HasSubstr("which a node can't follow"));
  const auto signer = testing_support::SampleCertificates().front();
  const Error unsigned_one = ErrorIn(ReadSettings(host, spec, {.pin = {.signers = {signer}}}));
  EXPECT_NE(unsigned_one.code, Code::kKind) << "taken for a payload without a signature";
}

TEST(SourceReader, AnArchiveInThePlaceOfASignedPayloadIsToBeUnpacked) {
  testing_support::MemoryHost host;
  const auto signer = testing_support::SampleCertificates().front();
  const Error refused =
      ErrorIn(ReadSettings(host, SpecOf(SamplePath("rendered-worker.json")), {.pin = {.signers = {signer}}}));
  EXPECT_EQ(refused.code, Code::kSignature);
  EXPECT_THAT(refused.message, HasSubstr("if it is an archive with one, unpack it"));
}

// The share's server says who can write there, and it may be anybody's.
TEST(SourceReader, NothingOnAShareIsFollowed) {
  const std::string source = R"(\\files.example.com\egress\worker.json)";
  const std::string mapped = R"(Z:\egress\certificates.pem)";
  testing_support::MemoryPaths paths;
  for (const char* folder : {R"(\\files.example.com\egress\)", R"(Z:\)", R"(Z:\egress)"}) paths.PutFolder(folder);
  paths.PutFile(source, testing_support::SampleText("rendered-worker.json"));
  paths.PutFile(mapped, testing_support::SampleText("corporate-root.pem"));
  paths.At(R"(Z:\)").facts.on_share = true;
  testing_support::MemoryHost host;
  host.paths = &paths;
  for (const std::string& file : {source, mapped}) {
    const auto settings = ReadFollowed(host, SpecOf(file));
    ASSERT_FALSE(settings) << file;
    EXPECT_EQ(settings.error().code, Code::kOwner);
    EXPECT_THAT(settings.error().message, HasSubstr("is on a share"));
  }
  EXPECT_THAT(paths.opened, ElementsAre(R"(Z:\)")) << "the server of a UNC path is not even asked";
}

// Whatever it is for: a user who can write it would decide what SYSTEM trusts, or does not.
TEST(SourceReader, EachFileThatARoundReadsIsChecked) {
  constexpr char kSource[] = R"(C:\egress\worker.json)";
  constexpr char kPem[] = R"(C:\egress\certificates.pem)";
  const std::string pem = testing_support::SampleText("corporate-root.pem");
  testing_support::MemoryPaths paths;
  paths.PutFolder(R"(C:\egress)");
  paths.PutFile(kSource, testing_support::SampleText("rendered-worker.json"));
  paths.PutFile(kPem, pem);
  testing_support::MemoryHost host;
  host.paths = &paths;
  SettingsSpec subtracting = SpecOf(kSource);
  subtracting.choices.subtract_file = kPem;
  const std::pair<SettingsSpec, std::string> rows[] = {{SpecOf(kSource), kSource},
                                                       {subtracting, kPem},
                                                       {{.source = {.source = kSource, .ca_file = kPem}}, kPem},
                                                       {SpecOf(kPem), kPem}};
  for (const auto& [spec, decides] : rows) {
    const auto closed = ReadFollowed(host, spec);
    ASSERT_TRUE(closed) << decides << ": " << closed.error().message;
    const PathFacts before = paths.At(decides).facts;
    paths.At(decides).facts.dacl += "(A;;FW;;;BU)";
    const auto open = ReadFollowed(host, spec);
    ASSERT_FALSE(open) << decides;
    EXPECT_EQ(open.error().code, Code::kOwner);
    EXPECT_EQ(open.error().where, decides);
    EXPECT_THAT(open.error().message, HasSubstr("can be changed by Users (S-1-5-32-545)"));
    paths.At(decides).facts = before;
  }
}

TEST(ReadSource, TakesUserDataThatWereBaked) {
  testing_support::ScratchFolder scratch;
  const egress::EgressConfig config = testing_support::SampleConfig();
  const auto state = *reconcile::MakeDesiredState(config, {});
  const userdata::UserData data = userdata::MakeUserData(config, state, {.generation = 7}).value();
  const std::string file = (scratch.path() / "secret.yaml").string();
  std::ofstream(file) << userdata::UserDataSecret("egress", data).value();
  testing_support::MemoryHost host;
  const auto read = Must(ReadSource(host, {.source = file}));
  EXPECT_EQ(read.generation, 7);
  EXPECT_EQ(read.config.http_proxy, config.http_proxy);
  EXPECT_EQ(read.config.certificates.size(), config.certificates.size());
}

}  // namespace
}  // namespace prov::node
