#include "provisioner/node/settings.h"

#include <gmock/gmock.h>

#include "provisioner/base/text.h"
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

class SourceCheck : public NodeTest {
 protected:
  std::vector<std::string> CheckedOf(const SourceWords& words) {
    host_.checked_sources.clear();
    EXPECT_TRUE(CheckSourceFiles(host_, words));
    return host_.checked_sources;
  }
};

TEST_F(SourceCheck, FilesThatDecideAreLookedAt) {
  EXPECT_THAT(CheckedOf({R"(C:\egress\worker.json)", "--service=containerd"}), ElementsAre(R"(C:\egress\worker.json)"));
  EXPECT_THAT(CheckedOf({"mcs://h/worker", R"(--ca=C:\egress\ca.pem)"}), ElementsAre(R"(C:\egress\ca.pem)"));
  EXPECT_THAT(CheckedOf({"kube://", "--kubeconfig=/etc/kube/config"}), ElementsAre("/etc/kube/config"));
  EXPECT_THAT(CheckedOf({"kube://", "--kubeconfig=in-cluster"}), IsEmpty());
  EXPECT_THAT(CheckedOf({"https://h/x", "--pool=worker"}), IsEmpty());
  EXPECT_THAT(CheckedOf({"https://h/x", R"(--subtract=C:\egress\minus.pem)"}), ElementsAre(R"(C:\egress\minus.pem)"));
  EXPECT_THAT(CheckedOf({R"(C:\worker.ign)", R"(--ca=D:\ca.pem)"}), ElementsAre(R"(C:\worker.ign)", R"(D:\ca.pem)"));
}

TEST_F(SourceCheck, ARefusalIsOne) {
  host_.source_error = Error{Code::kOwner, "Users may change it", "ca.pem"};
  EXPECT_EQ(CheckSourceFiles(host_, {"mcs://h/worker", "--ca=/ca.pem"}).error().code, Code::kOwner);
  EXPECT_TRUE(CheckSourceFiles(host_, {"https://h/x"}));
}

}  // namespace
}  // namespace prov::node
