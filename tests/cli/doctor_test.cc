// `doctor`, and --this-machine in the place of SOURCE, as their callers see them.
#include <gmock/gmock.h>

#include "tests/cli/machine_commands_fixture.h"

namespace prov::cli {
namespace {

using machine_commands::MachineCommands;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(MachineCommands, DoctorSaysWhatIsWrongAndWhatToType) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--service", "containerd"}));
  const auto well = Json(DoctorCommand, {});
  EXPECT_EQ(well["problems"].Size(), 0U);
  EXPECT_STREQ(well["target"].GetString(), "this machine");
  EXPECT_THAT(Run(DoctorCommand, {})->out, HasSubstr("nothing is wrong with what was checked\nchecked  clock, "));
  auto& containerd = host_.services_by_name["containerd"];
  containerd.process_id = 42;
  const auto sick = Json(DoctorCommand, {}, 4);
  ASSERT_EQ(sick["problems"].Size(), 1U);
  const auto& problem = sick["problems"][0];
  EXPECT_STREQ(problem["code"].GetString(), "service-stale");
  EXPECT_STREQ(problem["key"].GetString(), "serviceEnv:containerd");
  EXPECT_THAT(problem["remedy"].GetString(), HasSubstr("Drain the node"));
  EXPECT_STREQ(problem["commands"][0].GetString(), "Restart-Service -Force 'containerd'");
  EXPECT_THAT(
      Run(DoctorCommand, {})->out,
      StartsWith("target   this machine\n1. [service-stale] containerd (process 42) runs with another HTTP_PROXY"));
  containerd.process_id = 0;
  const auto stopped = Json(DoctorCommand, {}, 4);
  EXPECT_FALSE(stopped["problems"][0].HasMember("key")) << "it is about no item";
}

TEST_F(MachineCommands, ACertificateHasOneNameInAllText) {
  const std::string name = "CA 734B5852D40BDC0AD7E1AB2DACBA4FC9BA34854C";
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  host_.now = 2'400'000'000;  // in 2046, after its end
  EXPECT_THAT(Run(DoctorCommand, {})->out, HasSubstr("[cert-expired] certificate " + name));
  EXPECT_THAT(Run(RollbackCommand, {})->out,
              HasSubstr("deleted  certificate  " + name + "  CN=Example Corp Issuing CA 1"));
}

TEST_F(MachineCommands, ExplainAndCheckTakeWhatIsSet) {
  host_.waits_left = 100;
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  const auto decided = Json(ExplainCommand, {"--this-machine", "--url", "https://quay.io/", "--for", "go"});
  EXPECT_STREQ(decided["decisions"][0]["decision"].GetString(), "proxy");
  const auto probed = Json(CheckCommand, {"--this-machine", "--probe", "https://quay.io/"});
  EXPECT_TRUE(probed["probes"][0]["ok"].GetBool());
  EXPECT_THAT(probed["findings"][0]["message"].GetString(),
              HasSubstr("containerd would start with; the whole ROOT store is trusted"));
  EXPECT_THAT(host_.requests.back(), HasSubstr("with 0 roots")) << "what the machine trusts";
  host_.memory.Erase(reconcile::kEnv, "HTTPS_PROXY");
  EXPECT_STREQ(
      Json(ExplainCommand, {"--this-machine", "--url", "https://quay.io/", "--for", "go"})["decisions"][0]["decision"]
          .GetString(),
      "direct");
  host_.memory.Put(reconcile::kContainerd, reconcile::ServiceList({"HTTPS_PROXY=http://own:1"}));
  EXPECT_STREQ(
      Json(ExplainCommand, {"--this-machine", "--url", "https://quay.io/", "--for", "go"})["decisions"][0]["proxy"]
          .GetString(),
      "http://own:1");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{source_, "--this-machine"}, {"--this-machine", "--root", "x"}, {}}) {
    const auto refused = Run(CheckCommand, words);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kUsage);
  }
}

}  // namespace
}  // namespace prov::cli
