#include "provisioner/node/settings.h"

#include "provisioner/base/text.h"
#include "tests/node/node_helpers.h"

namespace prov::node {
namespace {

reconcile::DesiredState DesiredOf(const Settings& settings) {
  auto out = reconcile::MakeDesiredState(settings.config, settings.options);
  EXPECT_TRUE(out);
  return *std::move(out);
}

TEST(NodeSettings, ComeBackAsTheSameDesiredState) {
  Settings settings = SampleSettings(7);
  settings.options.store.root_only = true;
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

}  // namespace
}  // namespace prov::node
