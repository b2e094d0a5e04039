// Which hosts.toml files a source, the options and the containerd of a machine leave, write or take away.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/reconcile/file_items.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using registries::ForAll;
using registries::Source;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::CodesOf;
using testing_support::MemoryMachine;
using testing_support::SampleConfig;

TEST(FileStatements, AnotherFolderTakesThePlaceOfTheFirst) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  const egress::EgressConfig config = ConfigWith({Source("quay.io", {ForAll("m.example")})}, false);
  MustApply(memory, DesiredFiles(config));
  EXPECT_FALSE(MustApply(memory, DesiredFiles(config, R"(C:\CERTS.D)")).HasWork()) << "the same folder on Windows";
  const Plan plan = MustApply(memory, DesiredFiles(config, R"(D:\other)"));
  EXPECT_THAT(ChangesOf(plan),
              ElementsAre(R"(create file D:\other\quay.io\hosts.toml)", fmt::format("delete file {}", kQuay)));
  machine::Machine machine = memory.Ports();
  EXPECT_THAT(CodesOf(MakePlan(machine, DesiredFiles(config, R"(D:\other)"), {}, {}).value().findings),
              ElementsAre("registries-config"));
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileStatements, ASourceWithoutMirrorsLeavesThemAndOneThatNamesNoneTakesThem) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  egress::EgressConfig silent = SampleConfig();
  EXPECT_FALSE(MustApply(memory, DesiredFiles(silent)).HasWork());
  EXPECT_TRUE(memory.FileAt(kQuay));
  MustApply(memory, DesiredFiles(ConfigWith({}, false)));
  EXPECT_FALSE(memory.FileAt(kQuay));
}

TEST(FileStatements, WithoutTheOptionTheyAreTakenBack) {
  MemoryMachine memory;
  PutContainerd(memory);
  const egress::EgressConfig config = ConfigWith({Source("quay.io", {ForAll("m.example")})});
  MustApply(memory, DesiredFiles(config));
  MustApply(memory, Desired(config));
  EXPECT_FALSE(memory.FileAt(kQuay));
  MustApply(memory, DesiredFiles(config));
  DesiredOptions options;
  options.scope = Scope::None();
  options.scope.registries = true;
  const auto without = Must(MakeDesiredState(config, options));
  EXPECT_THAT(CodesOf(without.findings), ElementsAre("registries-no-folder"));
  MustApply(memory, without);
  EXPECT_FALSE(memory.FileAt(kQuay));
}

TEST(FileStatements, ContainerdThatLooksElsewhereIsReported) {
  struct Case {
    std::string_view config, text;
  };
  const Case kCases[] = {
      {"version = 2\n", "names no config_path"},
      {"", "is not there"},
      {"[plugins.cri.registry]\nconfig_path = 'C:\\other'\n", R"(config_path is 'C:\other')"},
      {"imports = ['C:\\x.toml']\n", "imports C:\\x.toml, which is not there"},
      {"imports = ['C:\\x\\*.toml']\n", "imports C:\\x\\*.toml, and files that a pattern names are not read"},
      {"imports = ['C:\\BAD.toml']\n", "imports C:\\BAD.toml, which can't be read (not valid TOML"},
      {"[", "can't be read"},
  };
  for (const auto& [config, text] : kCases) {
    MemoryMachine memory;
    PutContainerd(memory, config);
    memory.PutFileOf(R"(C:\bad.toml)", "[");
    memory.PutFileOf(R"(C:\x\one.toml)", "");
    machine::Machine machine = memory.Ports();
    const auto plan = MakePlan(machine, DesiredFiles(), {}, {});
    ASSERT_TRUE(plan) << text << ": " << plan.error().message;
    ASSERT_THAT(CodesOf(plan->findings), ElementsAre("registries-config")) << text;
    EXPECT_EQ(plan->findings.front().severity, Severity::kWarning);
    EXPECT_THAT(plan->findings.front().message, HasSubstr(text));
    EXPECT_EQ(plan->findings.front().where, kConfigToml);
  }
  MemoryMachine without;
  machine::Machine machine = without.Ports();
  const auto plan = Must(MakePlan(machine, DesiredFiles(), {}, {}));
  ASSERT_THAT(CodesOf(plan.findings), ElementsAre("registries-config"));
  EXPECT_EQ(plan.findings.front().severity, Severity::kInfo) << "containerd is not installed yet";
}

TEST(FileStatements, TheConfigurationIsWhereTheServiceSays) {
  MemoryMachine memory;
  PutContainerd(memory, "");
  memory.Put(kContainerd, Sz("ImagePath", R"(C:\nssm.exe)"));
  memory.Put(std::string(kContainerd) + R"(\Parameters)", Sz("AppParameters", R"(--config "D:\my conf\c.toml")"));
  memory.PutFileOf(R"(D:\my conf\c.toml)", "[plugins.cri.registry]\nconfig_path = 'C:\\certs.d'\n");
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty());
  EXPECT_TRUE(memory.FileAt(kQuay));
}

TEST(FileStatements, ImportsOfTheConfigurationAreFollowed) {
  MemoryMachine memory;
  PutContainerd(memory, "version = 2\nimports = ['conf\\one.toml']\n");
  memory.PutFileOf(R"(C:\Program Files\containerd\conf\one.toml)",
                   "imports = ['C:/two.toml', '../config.toml']\n"
                   "[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\other'\n");
  memory.PutFileOf(R"(C:\two.toml)", "[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\certs.d'\n");
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty());
}

// Neither half of the statement is a reason to remove what rests on the other one.
TEST(FileStatements, ASourceThatSpeaksOfCasAloneLeavesMirrors) {
  MemoryMachine memory;
  PutContainerd(memory);
  egress::EgressConfig config = ConfigWith({Source("quay.io", {ForAll("m.example")})});
  MustApply(memory, DesiredFiles(config));
  const auto before = memory.content();
  config.mirrors.places.clear();
  config.mirrors.registries.clear();
  const Plan same = MustApply(memory, DesiredFiles(config));
  EXPECT_THAT(CodesOf(same.findings), Contains("registries-kept"));
  EXPECT_EQ(memory.content().files, before.files);
  config.mirrors.cas.front().certificates = {"another"};
  MustApply(memory, DesiredFiles(config));
  EXPECT_NE(memory.FileAt(R"(C:\certs.d\m.example\ca.crt)"), before.files.at(R"(c:\certs.d\m.example\ca.crt)"));
  config.mirrors.cas.clear();
  config.mirrors.states_no_cas = true;
  MustApply(memory, DesiredFiles(config));
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\m.example\ca.crt)")) << "that there are none is a statement";
  EXPECT_TRUE(memory.FileAt(kQuay));
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "hosts.toml names it";
  EXPECT_THAT(DriftOf(memory), IsEmpty());
  MustApply(memory, NothingDesired());
  EXPECT_FALSE(memory.FileAt(kQuay)) << "a removal is a statement";
  EXPECT_FALSE(memory.FileAt(kQuayCa));
}

TEST(FileStatements, ASourceThatSpeaksOfMirrorsAloneLeavesCasAndFollowsTheRest) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles(ConfigWith({Source("quay.io", {ForAll("m.example")})})));
  const auto quay = memory.FileAt(kQuay);
  const auto mirrors_alone = [](std::vector<registries::Registry> list) {
    egress::EgressConfig config = ConfigWith(std::move(list), false);
    config.mirrors.states_no_cas = false;
    return DesiredFiles(config);
  };
  const Plan plan = MustApply(
      memory, mirrors_alone({Source("quay.io", {ForAll("b.example")}), Source("new.example", {ForAll("b.example")})}));
  EXPECT_THAT(CodesOf(plan.findings), Contains("registries-kept"));
  EXPECT_EQ(memory.FileAt(kQuay), quay) << "without its CA it would ask nobody";
  EXPECT_TRUE(memory.FileAt(kQuayCa));
  EXPECT_TRUE(memory.FileAt(R"(C:\certs.d\new.example\hosts.toml)"));
  MustApply(memory, mirrors_alone({}));
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\new.example\hosts.toml)"));
  EXPECT_FALSE(memory.FileAt(kQuay)) << "its mirrors are gone by a statement";
  EXPECT_TRUE(memory.FileAt(kQuayCa));
  DesiredOptions options;
  options.scope = Scope::None();
  options.scope.registries = true;
  MustApply(memory, MakeDesiredState(SampleConfig(), options).value());
  EXPECT_FALSE(memory.FileAt(kQuayCa)) << "as registries-kept says";
}

TEST(FileStatements, WithoutTheOptionAHalfOrABrokenStatementTakesAwayNoMore) {
  egress::EgressConfig config = ConfigWith({Source("quay.io", {ForAll("m.example")})});
  const DesiredState with_files = DesiredFiles(config);
  egress::EgressConfig broken = SampleConfig();
  broken.mirrors.fault = Error{Code::kRegistries, "not valid TOML", "registries.conf"};
  egress::EgressConfig no_cas = SampleConfig();
  no_cas.mirrors.states_no_cas = true;
  for (const auto& [source, stays] : {std::pair(broken, true), std::pair(no_cas, true), std::pair(config, false)}) {
    MemoryMachine memory;
    PutContainerd(memory);
    MustApply(memory, with_files);
    MustApply(memory, Desired(source));
    EXPECT_EQ(memory.FileAt(kQuay).has_value(), stays);
    EXPECT_EQ(memory.FileAt(kQuayCa).has_value(), stays);
  }
}

TEST(FileStatements, MirrorsThatCanNotBeReadAreLeftOutOfARoundAndRefusedToAPerson) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  const auto before = memory.content();
  egress::EgressConfig broken = ConfigWith({});
  broken.mirrors = {};
  broken.mirrors.fault = Error{Code::kRegistries, "not valid TOML", "registries.conf"};
  EXPECT_EQ(ErrorIn(ApplyTo(memory, WithProxy(DesiredFiles(broken)))).code, Code::kRegistries);
  EXPECT_EQ(memory.content().Text(), before.Text());
  const auto round = Must(ApplyTo(memory, WithProxy(DesiredFiles(broken)), {.leaves_out_refused = true}));
  EXPECT_THAT(CodesOf(round.findings), ElementsAre("registries-refused"));
  EXPECT_THAT(ChangesOf(round), Contains("create env HTTP_PROXY"));
  EXPECT_EQ(memory.content().files, before.files);
}

TEST(FileStatements, TheOperatorsContainerdIsRefused) {
  const auto refused = [](MemoryMachine& memory) {
    const auto before = memory.content();
    const auto round = Must(ApplyTo(memory, WithProxy(DesiredFiles()), {.leaves_out_refused = true}));
    EXPECT_THAT(CodesOf(round.findings), ElementsAre("registries-refused"));
    EXPECT_THAT(ChangesOf(round), Contains("create env HTTP_PROXY")) << "the rest of the settings goes on";
    EXPECT_EQ(memory.content().files, before.files);
    MustApply(memory, NothingDesired());
    ASSERT_EQ(memory.content().Text(), before.Text());
    const Error plan = ErrorIn(ApplyTo(memory, DesiredFiles()));
    EXPECT_EQ(plan.code, Code::kOwner);
    EXPECT_THAT(plan.message, HasSubstr("leave out --registry-folder"));
    EXPECT_EQ(memory.content().Text(), before.Text());
    EXPECT_TRUE(ApplyTo(memory, Desired(SampleConfig()))) << "nothing else is refused";
  };
  MemoryMachine by_file;
  PutContainerd(by_file);
  by_file.Put(kContainerd, Sz("ImagePath", R"(c.exe --config C:/K/containerd/containerd_conf.toml)"));
  refused(by_file);
  MemoryMachine by_path;
  PutContainerd(by_path, "[plugins.cri.registry]\nconfig_path = 'C:\\k\\containerd\\registries'\n");
  refused(by_path);
  MemoryMachine by_daemon;
  PutContainerd(by_daemon);
  by_daemon.PutKey(kDaemonKey);
  refused(by_daemon);
}

TEST(FileStatements, FilesThatAreThereStayWhenTheOperatorComes) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.PutKey(kDaemonKey);
  const auto before = memory.content();
  const DesiredState other = DesiredFiles(ConfigWith({Source("new.example", {ForAll("m.example")})}));
  EXPECT_FALSE(ApplyTo(memory, other));
  EXPECT_TRUE(ApplyTo(memory, other, {.leaves_out_refused = true}));
  EXPECT_EQ(memory.content().Text(), before.Text());
  MustApply(memory, NothingDesired());
  EXPECT_FALSE(memory.FileAt(kQuay)) << "a removal takes them";
}

}  // namespace
}  // namespace prov::reconcile
