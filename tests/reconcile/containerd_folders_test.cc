#include "provisioner/reconcile/containerd_folders.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "provisioner/reconcile/items.h"
#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::MemoryMachine;

constexpr std::string_view kNamedFolder = R"(C:\certs.d)";
constexpr std::string_view kDefaultConfigToml = R"(C:\Program Files\containerd\config.toml)";

images::RegValue ExpandedSz(std::string name, std::string_view text) {
  images::RegValue out = Sz(std::move(name), text);
  out.type = images::RegType::kExpandSz;
  return out;
}

std::string ConfigNaming(std::string_view path) {
  return fmt::format("[plugins.cri.registry]\nconfig_path = '{}'\n", path);
}

class ContainerdFoldersTest : public testing::Test {
 protected:
  ContainerdFoldersTest() {
    PutWindows(memory_);
    memory_.Put(kContainerd, Sz("ImagePath", "containerd.exe --run-service"));
  }

  ContainerdFolders Look() {
    machine::Machine machine = memory_.Ports();
    auto out = ReadContainerdFolders(machine);
    EXPECT_TRUE(out);
    return out.value_or(ContainerdFolders());
  }
  std::string Review() {
    const auto finding = ReviewRegistryFolder(Look(), std::string(kNamedFolder));
    severity_ = finding ? finding->severity : Severity::kInfo;
    return finding ? finding->message : "";
  }
  std::string ReviewOf(std::string_view config) {
    memory_.PutFileOf(kDefaultConfigToml, config);
    return Review();
  }

  MemoryMachine memory_;
  Severity severity_ = Severity::kInfo;
};

TEST_F(ContainerdFoldersTest, AnEarlierFolderCountsFirst) {
  const std::string both = ConfigNaming(R"(C:\other;C:\certs.d)");
  EXPECT_EQ(ReviewOf(both), "") << "containerd goes on where the first folder is not there";
  memory_.PutFileOf(R"(C:\other\a.example\hosts.toml)", "");
  EXPECT_THAT(ReviewOf(both),
              HasSubstr(R"(a folder of a registry below C:\other counts before that below C:\certs.d)"));
  EXPECT_EQ(severity_, Severity::kWarning);
  EXPECT_THAT(ReviewOf(ConfigNaming(R"(relative;\\?\C:\CERTS.D)")), HasSubstr("below relative counts before"))
      << "what can't be looked at may be there";
}

TEST_F(ContainerdFoldersTest, WhatOursHideIsNamed) {
  const std::string one = ConfigNaming(kNamedFolder);
  memory_.PutFileOf(R"(C:\certs.d\quay.io\hosts.toml)", "");
  EXPECT_EQ(ReviewOf(one), "");
  memory_.PutFileOf(R"(C:\certs.d\_default\hosts.toml)", "");
  EXPECT_THAT(ReviewOf(one), HasSubstr(R"(what is in C:\certs.d\_default does not count for registries that have a )"
                                       R"(folder below C:\certs.d)"));
  EXPECT_EQ(severity_, Severity::kInfo) << "it may be meant";
  memory_.PutFileOf(R"(D:\more\a.example\hosts.toml)", "");
  EXPECT_THAT(ReviewOf(ConfigNaming(R"(C:\certs.d;D:\more;D:\none)")),
              AllOf(HasSubstr(R"(what is in D:\more, C:\certs.d\_default does not count)"), Not(HasSubstr("none"))));
}

TEST_F(ContainerdFoldersTest, AFaultCountsAlsoWhereTheFolderIsNamed) {
  const std::string named = ConfigNaming(kNamedFolder);
  EXPECT_THAT(ReviewOf("imports = ['C:\\x.toml']\n" + named), HasSubstr("imports C:\\x.toml, which is not there"));
  EXPECT_EQ(severity_, Severity::kWarning);
  const std::string pattern = "imports = ['C:\\conf.d\\*.toml']\n" + named;
  EXPECT_EQ(ReviewOf(pattern), "") << "there are no such files";
  memory_.PutFileOf(R"(C:\conf.d\one.toml)", "");
  EXPECT_THAT(ReviewOf(pattern), HasSubstr("files that a pattern names are not read"));
  EXPECT_EQ(severity_, Severity::kInfo) << "all that was read names the folder";
  EXPECT_THAT(ReviewOf("imports = ['C:\\x.toml', 'C:\\conf.d\\*.toml']\n" + named), HasSubstr("x.toml"));
  EXPECT_EQ(severity_, Severity::kWarning);
}

TEST_F(ContainerdFoldersTest, OldKeysHaveToGoFirst) {
  const std::string old = "[plugins.cri.registry.mirrors.a]\nendpoint = ['https://b.example']\n";
  const std::string text =
      "remove mirrors from [plugins.cri.registry] first: beside config_path, containerd's CRI "
      "plugin does not start with it";
  EXPECT_EQ(ReviewOf(old),
            "names no config_path; hosts.toml has an effect only with config_path = 'C:\\certs.d' in "
            "[plugins.cri.registry]; " +
                text);
  EXPECT_EQ(ReviewOf(ConfigNaming(kNamedFolder) + old), text);
}

TEST_F(ContainerdFoldersTest, ThePathOfTheConfigurationIsCompleted) {
  memory_.Put(EnvironmentKeyPath(), Sz("CONTAINERD_HOME", R"(D:\ctr)"));
  struct Case {
    images::RegValue path;
    std::string_view config;
  };
  const Case kCases[] = {
      {ExpandedSz("ImagePath", R"("%ProgramFiles%\containerd\containerd.exe" -c "%ProgramFiles%\containerd\c.toml")"),
       R"(C:\Program Files\containerd\c.toml)"},
      {ExpandedSz("ImagePath", R"(c.exe -c %systemdrive%\c.toml)"), R"(C:\c.toml)"},
      {ExpandedSz("ImagePath", R"(c.exe -c %windir%\c.toml)"), R"(C:\Windows\c.toml)"},
      {ExpandedSz("ImagePath", R"(c.exe -c %ProgramData%\c.toml)"), R"(C:\ProgramData\c.toml)"},
      {ExpandedSz("ImagePath", R"(c.exe -c %CONTAINERD_HOME%/c.toml)"), R"(D:\ctr\c.toml)"},
      {Sz("ImagePath", R"(c.exe -c \\?\C:\a\..\c.toml)"), R"(C:\c.toml)"},
  };
  for (const Case& one : kCases) {
    memory_.Put(kContainerd, one.path);
    memory_.PutFileOf(one.config, ConfigNaming(kNamedFolder));
    EXPECT_EQ(Look().config, one.config);
    EXPECT_EQ(Review(), "") << one.config;
  }
}

TEST_F(ContainerdFoldersTest, TheOperatorsFilesAreSeenByEachName) {
  for (const std::string_view line :
       {R"(c.exe -c C:\k\containerd\c.toml)", R"(c.exe -c %SystemDrive%\K\containerd\c.toml)",
        R"(c.exe -c \\?\c:\k\c.toml)", R"(c.exe -c //?/c:/x/../k/c.toml)"}) {
    memory_.Put(kContainerd, ExpandedSz("ImagePath", line));
    EXPECT_NE(Look().of_operator, "") << line;
  }
  memory_.Put(kContainerd, Sz("ImagePath", "c.exe"));
  memory_.PutFileOf(kDefaultConfigToml, ConfigNaming(R"(C:\certs.d;\\?\C:\k\containerd\registries)"));
  EXPECT_NE(Look().of_operator, "");
}

TEST_F(ContainerdFoldersTest, APathThatCanNotBeFollowedMayBeTheOperators) {
  for (const std::string_view line :
       {R"(c.exe -c \\localhost\C$\k\c.toml)", R"(c.exe -c \\?\UNC\host\share\c.toml)", R"(c.exe -c %UNKNOWN%\c.toml)",
        R"(c.exe -c C:\PROGRA~1\c.toml)", R"(c.exe -c c.toml)"}) {
    memory_.Put(kContainerd, ExpandedSz("ImagePath", line));
    EXPECT_THAT(Review(), AllOf(HasSubstr("can't be followed here ("),
                                HasSubstr("may be the Windows Machine Config Operator's; hosts.toml has an effect")))
        << line;
    EXPECT_EQ(severity_, Severity::kWarning) << line;
  }
}

}  // namespace
}  // namespace prov::reconcile
