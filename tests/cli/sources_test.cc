// `extract` with each kind of file that can be a source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::ProcessResult;
using testing_support::Provisioner;
using testing_support::ReadAll;

const fs::path kFolder = testing_support::TestsFolder() + "/golden/sources";
constexpr std::string_view kExpected = ".expected.json";

TEST(Sources, ExtractPrintsWhatIsExpectedOfEachKind) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(kExpected)) continue;
    ++count;
    const fs::path source = kFolder / name.substr(0, name.size() - kExpected.size());
    const ProcessResult result = Provisioner({"extract", "-"}, ReadAll(source.string()));
    EXPECT_EQ(result.exit, 0) << source << result.err;
    EXPECT_EQ(result.out, ReadAll(entry.path().string())) << source;
    EXPECT_THAT(result.out, Not(HasSubstr("S3cret"))) << source;
  }
  EXPECT_EQ(count, 15U);
}

TEST(Sources, TheOtherFormatsHoldTheSame) {
  const std::string proxy = ReadAll((kFolder / "proxy.yaml").string());
  const ProcessResult env = Provisioner({"extract", "-", "--format", "env"}, proxy);
  EXPECT_THAT(env.out, StartsWith("HTTP_PROXY=http://egress-user:S3cret%40p@proxy.example.com:3128\nHTTPS_PROXY="));
  EXPECT_THAT(env.err, Not(HasSubstr("S3cret")));
  const ProcessResult pem = Provisioner({"extract", "-", "--format", "pem"}, proxy);
  EXPECT_EQ(pem.out, ReadAll(testing_support::TestsFolder() + "/sample/corporate-root.pem") +
                         ReadAll(testing_support::TestsFolder() + "/sample/proxy-root.pem"));
}

TEST(Sources, ClusterSuffixesAreAddedWhereTheyAreAskedFor) {
  const std::string file = (kFolder / "aks-file.json").string();
  const ProcessResult with = Provisioner({"extract", file, "--add-cluster-suffixes", "--format", "env"});
  EXPECT_EQ(with.exit, 0) << with.err;
  EXPECT_THAT(with.out, HasSubstr(",.svc,.cluster.local\n"));
  EXPECT_THAT(with.err, HasSubstr("[aks-cluster-suffixes]"));
  EXPECT_THAT(Provisioner({"extract", file, "--format", "env"}).out, Not(HasSubstr(".svc")));
  const ProcessResult direct =
      Provisioner({"explain", file, "--add-cluster-suffixes", "--url", "http://web.shop.svc/", "--output", "json"});
  EXPECT_EQ(direct.exit, 0) << direct.err;
  EXPECT_THAT(direct.out, HasSubstr("\".svc\""));
}

// A payload is what it was baked as, and still knows where it came from.
TEST(Sources, APayloadOfAksCanGetThemLater) {
  const testing_support::ScratchFolder scratch;
  const std::string out = scratch.At("payload");
  const ProcessResult baked = Provisioner({"bake", (kFolder / "aks-file.json").string(), "--out", out});
  ASSERT_EQ(baked.exit, 0) << baked.err;
  const ProcessResult env = Provisioner({"extract", out, "--add-cluster-suffixes", "--format", "env"});
  EXPECT_THAT(env.out, HasSubstr(",.svc,.cluster.local\n")) << env.err;
}

// A source that is silent about a part leaves it out of the payload's scope.
TEST(Sources, WhatIsNotStatedIsNotBaked) {
  const testing_support::ScratchFolder scratch;
  const std::string out = (fs::path(scratch.path()) / "payload").string();
  const ProcessResult result = Provisioner({"bake", (kFolder / "config-map.yaml").string(), "--out", out});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document egress = testing_support::Json(ReadAll(out + "/egress.json"));
  ASSERT_EQ(egress["scope"].Size(), 1U);
  EXPECT_STREQ(egress["scope"][0].GetString(), "certs");
}

}  // namespace
}  // namespace prov
