#include "provisioner/fleet/rollout_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/json_writer.h"

namespace prov::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Result<RolloutChoices> Parse(const std::map<std::string, std::string>& data) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("name", "egress-provisioner-rollout").EndObject();
  json.Key("data").BeginObject();
  for (const auto& [key, value] : data) json.Member(key, value);
  return ParseRolloutConfigMap(json.EndObject().EndObject().Text(), "ConfigMap f/egress-provisioner-rollout");
}

TEST(RolloutConfigMap, EmptyMeansWhatTheCommandDoesWithoutOptions) {
  const auto of_map = Parse({});
  const auto of_command = ParseRolloutChoices({}, [](std::string_view) { return ""; });
  ASSERT_TRUE(of_map && of_command);
  EXPECT_EQ(of_map->order, of_command->order);
  EXPECT_EQ(of_map->approval, of_command->approval);
  EXPECT_EQ(of_map->order.canaries, 1U);
  EXPECT_EQ(of_map->order.wave, (WaveSize{.number = 10, .is_percent = true}));
  EXPECT_EQ(of_map->order.soak_seconds, 300);
  EXPECT_EQ(of_map->order.timeout_seconds, 1800);
  EXPECT_EQ(of_map->approval.trial_seconds, 300);
  EXPECT_TRUE(ParseRolloutConfigMap(R"({"metadata":{}})", "x")) << "kubectl create configmap without data";
}

TEST(RolloutConfigMap, HasTheNamesOfTheOptions) {
  const auto read = Parse({{"canary", "3\n"},
                           {"wave", "25"},
                           {"probe", "https://a.example.test/\n\n  https://b.example.test/x\n"},
                           {"image", "quay.io/org/app:v1\n"},
                           {"trial", "60"},
                           {"soak", "0"},
                           {"timeout", "600"},
                           {"max-unreachable", "2"},
                           {"on-failure", "rollback"}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->order.canaries, 3U);
  EXPECT_EQ(read->order.wave, (WaveSize{.number = 25, .is_percent = false}));
  EXPECT_EQ(read->order.soak_seconds, 0);
  EXPECT_EQ(read->order.timeout_seconds, 600);
  EXPECT_EQ(read->order.most_unreachable, 2U);
  EXPECT_TRUE(read->order.takes_back);
  EXPECT_THAT(read->approval.probes, ElementsAre("https://a.example.test/", "https://b.example.test/x"));
  EXPECT_THAT(read->approval.images, ElementsAre("quay.io/org/app:v1"));
  EXPECT_EQ(read->approval.trial_seconds, 60);
}

// A mistake must not give a rollout with less proof than its author believes.
TEST(RolloutConfigMap, AMistakeIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> rows = {{"soack", "5"},
                                                                 {"canary", "0"},
                                                                 {"canary", ""},
                                                                 {"wave", "0"},
                                                                 {"wave", "101%"},
                                                                 {"wave", "some"},
                                                                 {"trial", "9"},
                                                                 {"trial", "3601"},
                                                                 {"soak", "-1"},
                                                                 {"soak", "1e9"},
                                                                 {"timeout", "0"},
                                                                 {"max-unreachable", "x"},
                                                                 {"timeout", "9999999"},
                                                                 {"on-failure", "stop"},
                                                                 {"probe", "ftp://a.example.test/"},
                                                                 {"probe", "https://u:p@a.example.test/"},
                                                                 {"probe", "https://a.example.test/?token=t0ken"},
                                                                 {"image", "NOT AN IMAGE"}};
  for (const auto& [key, value] : rows) {
    const auto read = Parse({{key, value}});
    ASSERT_FALSE(read) << key << "=" << value;
    EXPECT_THAT(read.error().where, HasSubstr(key)) << value;
    EXPECT_THAT(read.error().where + read.error().message, Not(HasSubstr("t0ken")));
  }
  EXPECT_FALSE(ParseRolloutConfigMap(R"({"data":{"canary":1}})", "x"));
}

TEST(RolloutChoices, OfTheCommandNameItsOption) {
  const auto refused =
      ParseRolloutChoices({{"soak", {"x"}}}, [](std::string_view name) { return "--" + std::string(name); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "--soak");
  EXPECT_EQ(refused.error().code, Code::kUsage);
}

}  // namespace
}  // namespace prov::fleet
