#include "provisioner/registries/containerd_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov::registries {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> ConfigPathsIn(std::string_view text) {
  return Must(ReadContainerdConfig(text, "config.toml")).Folders();
}

TEST(ContainerdConfig, TheSettingIsFoundInEachVersionOfTheFile) {
  EXPECT_THAT(ConfigPathsIn("version = 2\n[plugins.\"io.containerd.grpc.v1.cri\".registry]\n"
                            "config_path = \"C:\\\\a;C:\\\\b\"\n"),
              ElementsAre("C:\\a", "C:\\b"));
  EXPECT_THAT(ConfigPathsIn("version = 3\n[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'C:\\a'\n"),
              ElementsAre("C:\\a"));
  EXPECT_THAT(ConfigPathsIn("[plugins.cri.registry]\nconfig_path = 'C:\\a'\n"), ElementsAre("C:\\a"));
}

TEST(ContainerdConfig, ATableOfAnotherVersionDoesNotCount) {
  EXPECT_THAT(ConfigPathsIn("version = 3\n[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\a'\n"),
              IsEmpty());
  EXPECT_THAT(ConfigPathsIn("version = 2\n[plugins.cri.registry]\nconfig_path = 'C:\\a'\n"), IsEmpty());
  // containerd 2 takes older settings over, and those of the newer plugin count only without them.
  EXPECT_THAT(ConfigPathsIn("version = 2\n[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'C:\\b'\n"
                            "[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\a'\n"),
              ElementsAre("C:\\a"));
  for (const auto& [text, table] : {std::pair("", "[plugins.cri.registry]"),
                                    {"version = 2", R"([plugins."io.containerd.grpc.v1.cri".registry])"},
                                    {"version = 3", R"([plugins."io.containerd.cri.v1.images".registry])"}})
    EXPECT_EQ(ReadContainerdConfig(text, "c").value().Table(), table);
}

TEST(ContainerdConfig, AFileMayNameNoFolder) {
  EXPECT_THAT(ConfigPathsIn(""), IsEmpty());
  EXPECT_THAT(ConfigPathsIn("version = 2\n[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = ''\n"),
              IsEmpty());
  EXPECT_THAT(ConfigPathsIn("plugins = 1\n"), IsEmpty());
  EXPECT_THAT(ConfigPathsIn("[plugins.cri]\nregistry = 'x'\n"), IsEmpty());
  EXPECT_EQ(ReadContainerdConfig("a = [", "c").error().code, Code::kRegistries);
}

TEST(ContainerdConfig, AnImportedFileCountsBeforeTheOneThatImportsIt) {
  ContainerdConfig read = ReadContainerdConfig(
                              "version = 2\nimports = ['C:\\x\\*.toml', 'more.toml', 1]\n"
                              "[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\a'\n",
                              "c")
                              .value();
  EXPECT_THAT(read.imports, ElementsAre(R"(C:\x\*.toml)", "more.toml"));
  read.Merge(ReadContainerdConfig("[plugins.'io.containerd.grpc.v1.cri'.registry]\nx = 1\n", "m").value());
  EXPECT_THAT(read.Folders(), ElementsAre("C:\\a"));
  read.Merge(
      ReadContainerdConfig("[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\b'\n", "m").value());
  EXPECT_THAT(read.Folders(), ElementsAre("C:\\b"));
  read.Merge(ReadContainerdConfig(
                 "version = 3\n[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = 'C:\\c'\n", "m")
                 .value());
  EXPECT_THAT(read.Folders(), ElementsAre("C:\\c"));
}

TEST(ContainerdConfig, OldKeysAreNamed) {
  const auto old_keys = [](std::string_view text) { return ReadContainerdConfig(text, "c").value().OldKeys(); };
  constexpr std::string_view kMirrors = R"(
[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]
  endpoint = ["https://m.example"]
)";
  constexpr std::string_view kTls = R"(
[plugins."io.containerd.grpc.v1.cri".registry.configs."m.example".tls]
  insecure_skip_verify = true
)";
  const auto version = [](int number, std::string_view rest) { return fmt::format("version = {}\n{}", number, rest); };
  EXPECT_THAT(old_keys(version(2, kMirrors)), ElementsAre("mirrors"));
  EXPECT_THAT(old_keys(version(2, kTls)), ElementsAre("configs.*.tls"));
  EXPECT_THAT(old_keys(fmt::format("version = 2\n{}{}", kTls, kMirrors)), ElementsAre("configs.*.tls", "mirrors"));
  EXPECT_THAT(old_keys(version(3, kMirrors)), IsEmpty()) << "a table of another version";
  EXPECT_THAT(old_keys("[plugins.cri.registry.mirrors.a]\nendpoint = ['https://b']\n"), ElementsAre("mirrors"));
  for (const char* harmless : {"[plugins.cri.registry.mirrors]\n", "[plugins.cri.registry.configs]\n",
                               "[plugins.cri.registry.configs.a.auth]\nusername = 'u'\n",
                               "[plugins.cri.registry]\nconfigs = 1\nmirrors = 'x'\n"})
    EXPECT_THAT(old_keys(harmless), IsEmpty()) << harmless;
  ContainerdConfig read = ReadContainerdConfig("[plugins.cri.registry]\nconfig_path = 'C:\\a'\n", "c").value();
  read.Merge(ReadContainerdConfig("[plugins.cri.registry.mirrors.a]\nendpoint = []\n", "m").value());
  EXPECT_THAT(read.OldKeys(), ElementsAre("mirrors"));
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
