// The output of `status` for people and for monitoring, and `status --watch`.
#include <gmock/gmock.h>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/program_file.h"

namespace prov::cli {
namespace {

using machine_commands::MachineCommands;
using testing::HasSubstr;
using testing::Not;

class StatusShown : public MachineCommands {
 protected:
  std::string Text(int exit) {
    const auto out = Run(StatusCommand, {});
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(out->exit, exit) << out->out;
    return out->out;
  }
  static std::size_t Count(const std::string& text, const std::string& part) {
    std::size_t out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
  }
};

TEST_F(StatusShown, ANodeWithoutUs) {
  EXPECT_THAT(Text(0), HasSubstr("boot     no service is installed"));
  const auto status = Json(StatusCommand, {});
  EXPECT_FALSE(status["bootService"]["expected"].GetBool());
  EXPECT_TRUE(status["firstExpiry"].IsNull());
  EXPECT_TRUE(status["lastFailure"].IsNull());
  EXPECT_EQ(status["reasons"].Size(), 0U);
  EXPECT_EQ(status["damage"].Size(), 0U);
}

TEST_F(StatusShown, ANodeThatIsWell) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  host_.program_bytes = testing_support::MakeProgram({.version = "0.1.0"});
  const std::int64_t read = host_.now;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  host_.now = read + 7200;
  const std::string text = Text(0);
  EXPECT_THAT(text, HasSubstr("read     2 h 0 min ago\n"));
  EXPECT_THAT(text, HasSubstr("boot     the service Provisioner 0.1.0 runs (process 100)\n"));
  EXPECT_THAT(text, HasSubstr("expires  in "));
  EXPECT_THAT(text, HasSubstr(" days: "));
  EXPECT_THAT(text, HasSubstr("reboot   required"));
  const auto status = Json(StatusCommand, {});
  EXPECT_EQ(status["source"]["readAgeSeconds"].GetInt(), 7200);
  EXPECT_STREQ(status["bootService"]["runningVersion"].GetString(), "0.1.0");
  EXPECT_GT(status["firstExpiry"]["days"].GetInt(), 365);
  host_.program_bytes = testing_support::MakeProgram({.version = "0.2.0"});
  EXPECT_THAT(Text(0),
              HasSubstr("Provisioner 0.2.0 runs (process 100), still with an earlier program (version 0.1.0)"));
}

TEST_F(StatusShown, AFailureOfTheSource) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const std::string good = testing_support::ReadAll(source_);
  WriteSource("not json");
  ASSERT_TRUE(Run(ReconcileCommand, {"--once"}));
  host_.now += 3600;
  EXPECT_THAT(Text(4), HasSubstr("failed   for 1 h 0 min: kind: "));
  const auto status = Json(StatusCommand, {}, 4);
  EXPECT_THAT(status["failure"].GetString(), HasSubstr("kind: "));
  EXPECT_STREQ(status["lastFailure"]["code"].GetString(), "kind");
  EXPECT_TRUE(status["lastFailure"]["over"].IsNull());
  EXPECT_STREQ(status["reasons"][0].GetString(), "failure");
  WriteSource(good);
  ASSERT_TRUE(Run(ReconcileCommand, {"--once"}));
  EXPECT_THAT(Text(0), HasSubstr("earlier  failed until "));
  const auto after = Json(StatusCommand, {});
  EXPECT_TRUE(after["failure"].IsNull());
  EXPECT_EQ(after["lastFailure"]["over"].GetInt64(), host_.now);
}

TEST_F(StatusShown, AServiceThatIsStoppedOrGone) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  host_.services_by_name.at("provisioner").process_id = 0;
  EXPECT_THAT(Text(4), HasSubstr("does not run"));
  host_.services_by_name.erase("provisioner");
  EXPECT_THAT(Text(4), HasSubstr("is gone; provisioner service install brings it back"));
  EXPECT_STREQ(Json(StatusCommand, {}, 4)["reasons"][0].GetString(), "service");
  ASSERT_TRUE(Run(ServiceCommand, {"install"}));
  EXPECT_THAT(Text(0), Not(HasSubstr("does not run")));
  ASSERT_TRUE(Run(ServiceCommand, {"uninstall"}));
  EXPECT_THAT(Text(0), HasSubstr("no service is installed")) << "on purpose";
}

TEST_F(StatusShown, WhoWatchesSeesWhatChanges) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  host_.waits_left = 6;
  int looks = 0;
  host_.during_wait = [&] {
    if (++looks == 3) host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  };
  testing::internal::CaptureStdout();
  const auto watched = Run(StatusCommand, {"--watch", "--interval", "3"});
  const std::string out = testing::internal::GetCapturedStdout();
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(watched->exit, 4) << "the last look";
  EXPECT_EQ(looks, 7);
  EXPECT_EQ(Count(out, "target   this machine"), 2U) << out;
  EXPECT_EQ(Count(out, "drift    env NO_PROXY is gone"), 1U) << out;
  EXPECT_EQ(Count(out, "time     20"), 2U) << out;
}

TEST_F(StatusShown, WhoWatchesAsJsonGetsADocumentForEachChange) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  host_.waits_left = 4;
  int looks = 0;
  host_.during_wait = [&] {
    if (++looks == 2) host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  };
  testing::internal::CaptureStdout();
  ASSERT_TRUE(Run(StatusCommand, {"--watch", "--output", "json"}));
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(Count(out, "\"schema\": 1"), 2U) << out;
  EXPECT_THAT(out, Not(HasSubstr("time     ")));
}

TEST_F(StatusShown, ALookThatFailsEndsNoWatching) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const std::string good = host_.memory.files().at("state.json");
  for (const char* output : {"text", "json"}) {
    host_.waits_left = 5;
    int looks = 0;
    host_.during_wait = [&] {
      ++looks;  // two of them fail
      host_.memory.files()["state.json"] = looks == 2 || looks == 3 ? R"({"schema": 9})" : good;
    };
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto watched = Run(StatusCommand, {"--watch", "--output", output});
    const std::string out = testing::internal::GetCapturedStdout();
    const std::string errors = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(watched);
    EXPECT_EQ(watched->exit, 0);
    EXPECT_EQ(Count(errors, "error [version]"), 1U) << errors;
    EXPECT_EQ(Count(out, "this machine"), 2U) << "before it, and after it";
    EXPECT_EQ(Count(out, "\"error\": {"), output == std::string("json") ? 1U : 0U) << out;
  }
}

TEST_F(StatusShown, WhatCantBeWatchedIsAnErrorOfTheCommandLine) {
  EXPECT_EQ(Run(StatusCommand, {"--interval", "5"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(StatusCommand, {"--watch", "--interval", "0"}).error().code, Code::kUsage);
  EXPECT_EQ(Run(StatusCommand, {"--watch", "--root", root_.string()}).error().code, Code::kUsage);
}

}  // namespace
}  // namespace prov::cli
