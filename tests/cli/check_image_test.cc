// `check --image` as its callers see it, where nothing answers; tests/e2e/pull_e2e.py has servers that do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

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
using testing_support::Provisioner;

class CheckImage : public testing_support::ProgramTest {
 protected:
  // Nobody listens at port 9 of this machine, which no proxy leads to.
  ProcessResult Check(std::vector<std::string> words) const {
    words.insert(words.begin(), {"check", source_, "--probe-timeout", "2", "--image"});
    return Provisioner(words);
  }

  std::string source_ = Write("proxy.env", "HTTPS_PROXY=http://user:s3cret@proxy.example.com:3128\nNO_PROXY=.svc\n");
};

TEST_F(CheckImage, WhatNoServerAnswersIsNoAnswer) {
  const ProcessResult result = Check({"127.0.0.1:9/org/app:v1", "--os-version", "20348", "--output", "json"});
  EXPECT_EQ(result.exit, 14) << result.err;
  const rapidjson::Document document = Json(result);
  const auto& image = document["images"][0];
  EXPECT_STREQ(image["image"].GetString(), "127.0.0.1:9/org/app:v1");
  EXPECT_FALSE(image["arrives"].GetBool());
  EXPECT_TRUE(image["digest"].IsNull());
  const auto& request = image["requests"][0];
  EXPECT_STREQ(request["purpose"].GetString(), "ping");
  EXPECT_STREQ(request["host"].GetString(), "127.0.0.1");
  EXPECT_STREQ(request["via"].GetString(), "direct");
  EXPECT_FALSE(request["ok"].GetBool());
  EXPECT_TRUE(request["status"].IsNull());
  EXPECT_EQ(document["hosts"][0]["port"].GetInt(), 9);
  EXPECT_TRUE(document["valid"].GetBool());
}

TEST_F(CheckImage, AnImageThatTheRuntimeDoesNotAskForIsNotOneThatNoServerAnswers) {
  const std::string conf = Write("registries.conf", "[[registry]]\nlocation = \"a.example.com\"\nblocked = true\n");
  const ProcessResult result = Check({"a.example.com/b", "--registries", conf, "--platform", "linux/amd64"});
  EXPECT_EQ(result.exit, 4) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("image a.example.com/b:latest: does NOT arrive"), HasSubstr("blocked"),
                    HasSubstr("1 of 1 image(s) do not arrive; the settings are valid"), Not(HasSubstr("ping"))));
}

TEST_F(CheckImage, TheListsHaveTheHostsAlone) {
  EXPECT_THAT(Check({"127.0.0.1:9/a", "--format", "required"}).out, HasSubstr("://127.0.0.1:9/ direct  # "));
  const std::string router = Check({"127.0.0.1:9/a", "--format", "router"}).out;
  EXPECT_THAT(router, testing::StartsWith("# INCOMPLETE: 127.0.0.1:9/a:latest does not arrive"));
  EXPECT_THAT(router, HasSubstr("\n# goes direct, so no router sees it: 127.0.0.1:9\n"));
  EXPECT_EQ(std::ranges::count(router, '\n'), 2);
}

TEST_F(CheckImage, TheOptionsOfImagesNeedAnImage) {
  for (const char* option : {"--pull-secret", "--os-version", "--registries"}) {
    const ProcessResult result = Provisioner({"check", source_, option, "x"});
    EXPECT_EQ(result.exit, 10) << option;
    EXPECT_THAT(result.err, HasSubstr("is for the images that --image names")) << option;
  }
}

// A pipeline that counts failures must not read this as success.
TEST_F(CheckImage, ImagesThatAreNotAskedAreCounted) {
  const std::string bad = Write("bad.env", "HTTPS_PROXY=nonsense://x\n");
  const auto check = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"check", bad, "--image", "quay.io/a", "quay.io/b"};
    words.insert(words.end(), more.begin(), more.end());
    return Provisioner(words);
  };
  const rapidjson::Document document = Json(check({"--output", "json"}));
  EXPECT_EQ(document["imagesFailed"].GetInt(), 2);
  EXPECT_THAT(check({}).out, HasSubstr("no image was asked"));
  EXPECT_THAT(check({"--format", "router"}).out, testing::StartsWith("# INCOMPLETE: no image was asked"));
}

TEST_F(CheckImage, ABuildHasSeveralNames) {
  for (const char* version : {"2022", "LTSC2022", "20348", "10.0.20348", "10.0.20348.1"})
    EXPECT_EQ(Check({"127.0.0.1:9/a", "--os-version", version}).exit, 14) << version;
  for (const char* version : {"2023", "1809", "server", "10.0", "10.0.20348.1.1", "10.0."}) {
    const ProcessResult result = Check({"127.0.0.1:9/a", "--os-version", version});
    EXPECT_EQ(result.exit, 10) << version;
    EXPECT_THAT(result.err, HasSubstr("2019, 2022, 2025")) << version;
  }
}

TEST_F(CheckImage, TheListsAreTextOnly) {
  const ProcessResult result = Check({"127.0.0.1:9/a", "--format", "router", "--output", "json"});
  EXPECT_EQ(result.exit, 10);
  EXPECT_THAT(result.out, HasSubstr("the hosts are in the document"));
}

TEST_F(CheckImage, TextHasTheHostsThenTheRequestsAndTheReason) {
  EXPECT_THAT(Check({"127.0.0.1:9/a"}).out, testing::StartsWith("image 127.0.0.1:9/a:latest: does NOT arrive\n"
                                                                "  127.0.0.1:9  ping  direct\n"
                                                                "  ping      https://127.0.0.1:9/v2/: FAILED\n"));
}

TEST_F(CheckImage, SourceBehindImagesIsNamed) {
  const ProcessResult result = Provisioner({"check", "--image", "quay.io/a", source_});
  EXPECT_EQ(result.exit, 10);
  EXPECT_THAT(result.err, HasSubstr("--image takes all words behind it, so write SOURCE before it"));
}

TEST_F(CheckImage, AFileThatIsNoPullSecretIsNamedByItsPath) {
  const ProcessResult result = Check({"127.0.0.1:9/a", "--pull-secret", Write("empty.json", "")});
  EXPECT_EQ(result.exit, 11);
  EXPECT_THAT(result.err, HasSubstr("empty.json"));
}

}  // namespace
}  // namespace prov
