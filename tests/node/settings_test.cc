#include "provisioner/node/settings.h"

#include <gmock/gmock.h>

#include "tests/node/node_helpers.h"

namespace prov::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

reconcile::DesiredState DesiredOf(const Settings& settings) {
  auto out = reconcile::MakeDesiredState(settings.config, settings.options);
  EXPECT_TRUE(out);
  return *std::move(out);
}

TEST(NodeSettings, ComeBackAsTheSameDesiredState) {
  Settings settings = SampleSettings(7);
  settings.options.trusted = {std::string(64, 'a')};
  const std::string text = SettingsJson(settings, DesiredOf(settings));
  const auto back = ParseSettings(text, "settings.json");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->generation, 7);
  EXPECT_EQ(SettingsJson(*back, DesiredOf(*back)), text);
  EXPECT_EQ(DesiredOf(*back).certificates.size(), DesiredOf(settings).certificates.size());
  EXPECT_EQ(NameOf(back->config.source), "MachineConfig rendered-worker-00000000000000000000000000000001");
}

TEST(NodeSettings, OfASourceWithoutGenerationsHaveNone) {
  const Settings settings = SampleSettings(std::nullopt);
  EXPECT_EQ(ParseSettings(SettingsJson(settings, DesiredOf(settings)), "s")->generation, std::nullopt);
}

TEST(NodeSettings, DamageIsAnError) {
  const Settings settings = SampleSettings();
  const std::string text = SettingsJson(settings, DesiredOf(settings));
  EXPECT_EQ(ParseSettings(text.substr(0, text.size() / 2), "s").error().code, Code::kJson);
  std::string other = text;
  other.replace(other.find("\"data\": \""), 12, "\"data\": \"*!*");
  EXPECT_EQ(ParseSettings(other, "s").error().code, Code::kType);
}

class SourceCheck : public NodeTest {
 protected:
  std::vector<std::string> CheckedOf(const SettingsSpec& spec) {
    host_.checked_sources.clear();
    EXPECT_TRUE(CheckSourceFiles(host_, spec));
    return host_.checked_sources;
  }
};

TEST_F(SourceCheck, FilesThatDecideAreLookedAt) {
  constexpr char kWorker[] = R"(C:\egress\worker.json)";
  constexpr char kCa[] = R"(D:\ca.pem)";
  EXPECT_THAT(CheckedOf(SpecOf(kWorker)), ElementsAre(kWorker));
  EXPECT_THAT(CheckedOf({.source = {.source = "mcs://h/worker", .ca_file = kCa}}), ElementsAre(kCa));
  EXPECT_THAT(CheckedOf({.source = {.source = kWorker, .ca_file = kCa}}), ElementsAre(kWorker, kCa));
  EXPECT_THAT(CheckedOf({.source = {.source = "kube://", .kubeconfig = "/etc/kube/config"}}),
              ElementsAre("/etc/kube/config"));
  EXPECT_THAT(CheckedOf({.source = {.source = "kube://", .kubeconfig = "in-cluster"}}), IsEmpty());
  EXPECT_THAT(CheckedOf(SpecOf("https://h/x")), IsEmpty());
  SettingsSpec spec = SpecOf("https://h/x");
  spec.choices.subtract_file = R"(C:\egress\minus.pem)";
  spec.choices.hns_policy_file = R"(C:\egress\policy.json)";
  EXPECT_THAT(CheckedOf(spec), ElementsAre(R"(C:\egress\minus.pem)", R"(C:\egress\policy.json)"));
}

}  // namespace
}  // namespace prov::node
