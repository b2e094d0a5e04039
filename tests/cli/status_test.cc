// The output of `status` for people and for monitoring.
#include <gmock/gmock.h>

#include "images/registry/security.h"
#include "tests/cli/machine_commands_fixture.h"

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
  const std::int64_t read = host_.now;
  ASSERT_TRUE(Run(ReconcileCommand, {"--service"}));
  host_.now = read + 7200;
  const std::string text = Text(0);
  EXPECT_THAT(text, HasSubstr("read     2 h 0 min ago\n"));
  EXPECT_THAT(text, HasSubstr("boot     the service Provisioner 0.1.0 runs (process 100)\n"));
  EXPECT_THAT(text, HasSubstr(" items, no drift\nreboot   required"));
  EXPECT_THAT(text, Not(HasSubstr("expires")));
  const auto status = Json(StatusCommand, {});
  EXPECT_EQ(status["source"]["readAgeSeconds"].GetInt(), 7200);
  EXPECT_FALSE(status["bootService"]["outdated"].GetBool());
  EXPECT_GT(status["firstExpiry"]["days"].GetInt(), 365);
  host_.now += (status["firstExpiry"]["days"].GetInt() - 89) * std::int64_t{86400};
  EXPECT_THAT(Text(0), HasSubstr("expires  in 89 days: certificate "));
  host_.installed_version = "0.2.0";
  EXPECT_THAT(Text(0),
              HasSubstr("Provisioner 0.2.0 runs (process 100), still with an earlier program: restart the service"));
}

TEST_F(StatusShown, WhoMayReadAServiceForPeopleAndForPrograms) {
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--service", "containerd"}));
  ASSERT_TRUE(host_.memory.SetSecurity(reconcile::kContainerd, images::SystemAdminsUsersDescriptor()));
  EXPECT_THAT(Text(4),
              HasSubstr("drift    service containerd was changed: SYSTEM and Administrators -> others, too\n"));
  const auto status = Json(StatusCommand, {}, 4);
  EXPECT_THAT(status["drift"][0]["valuesAfter"]["dacl"].GetString(), HasSubstr("D:("));
}

TEST_F(StatusShown, AServiceHasTheNameThatItsMachineGivesIt) {
  host_.memory.PutKey(R"(SYSTEM\CurrentControlSet\Services\W32Time)");
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--service", "w32time"}));
  host_.services_by_name["w32time"].process_id = 7;
  EXPECT_STREQ(Json(StatusCommand, {}, 4)["services"][0]["name"].GetString(), "W32Time");
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
  EXPECT_EQ(Run(StatusCommand, {"--only", "failure"})->exit, 4);
  EXPECT_EQ(Run(StatusCommand, {"--only", "drift"})->exit, 0) << "the DaemonSet's probe asks for one reason";
  EXPECT_EQ(Run(StatusCommand, {"--only", "failures"}).error().code, Code::kUsage);
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

}  // namespace
}  // namespace prov::cli
