#include "provisioner/registries/containerd_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> ConfigPathsIn(std::string_view text) {
  const auto read = ReadContainerdConfig(text, "config.toml");
  EXPECT_TRUE(read) << read.error().message;
  return read.value_or(ContainerdConfig()).config_paths;
}

TEST(ContainerdConfig, TheSettingIsFoundInEachVersionOfTheFile) {
  EXPECT_THAT(ConfigPathsIn("version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".registry]\n"
                            "config_path = \"C:\\\\a;C:\\\\b\"\n"),
              ElementsAre("C:\\a", "C:\\b"));
  EXPECT_THAT(ConfigPathsIn("version = 3\n[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'C:\\a'\n"),
              ElementsAre("C:\\a"));
  EXPECT_THAT(ConfigPathsIn("[plugins.cri.registry]\nconfig_path = 'C:\\a'\n"), ElementsAre("C:\\a"));
}

TEST(ContainerdConfig, AFileMayNameNoFolder) {
  EXPECT_THAT(ConfigPathsIn(""), IsEmpty());
  EXPECT_THAT(ConfigPathsIn("version = 2\n[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = ''\n"),
              IsEmpty());
  EXPECT_THAT(ConfigPathsIn("plugins = 1\n"), IsEmpty());
  EXPECT_THAT(ConfigPathsIn("[plugins.cri]\nregistry = 'x'\n"), IsEmpty());
}

TEST(ContainerdConfig, OtherFilesMaySayMore) {
  EXPECT_TRUE(ReadContainerdConfig("imports = ['C:\\x\\*.toml']\n", "c").value().imports);
  EXPECT_FALSE(ReadContainerdConfig("imports = []\n", "c").value().imports);
  EXPECT_EQ(ReadContainerdConfig("a = [", "c").error().code, Code::kRegistries);
}

TEST(ContainerdConfig, TheCommandLineNamesTheFile) {
  EXPECT_EQ(ConfigFileOf(R"("C:\Program Files\containerd\containerd.exe" --run-service)"), "");
  EXPECT_EQ(ConfigFileOf(R"(c.exe --log-level info --config "C:\my conf\c.toml" --run-service)"),
            R"(C:\my conf\c.toml)");
  EXPECT_EQ(ConfigFileOf(R"(c.exe -c C:\c.toml)"), R"(C:\c.toml)");
  EXPECT_EQ(ConfigFileOf(R"(c.exe --config=C:\c.toml)"), R"(C:\c.toml)");
  EXPECT_EQ(ConfigFileOf("c.exe --config"), "");
  EXPECT_EQ(ConfigFileOf(""), "");
}

}  // namespace
}  // namespace prov::registries
