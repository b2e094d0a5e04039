// Files that are ours as a whole: the hosts.toml files of a node's containerd, with their CAs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "provisioner/reconcile/execute.h"
#include "provisioner/reconcile/items.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/registries/sources.h"
#include "tests/support/finding_codes.h"

namespace prov::reconcile {
namespace {

using registries::ForAll;
using registries::Source;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::CodesOf;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::SampleCertificates;
using testing_support::SampleConfig;
using testing_support::Unflushed;

constexpr std::string_view kFolder = R"(C:\certs.d)";
constexpr std::string_view kQuay = R"(C:\certs.d\quay.io\hosts.toml)";
constexpr std::string_view kQuayCa = R"(C:\certs.d\quay.io\m.example.pem)";
constexpr std::string_view kConfigToml = R"(C:\Program Files\containerd\config.toml)";

egress::EgressConfig ConfigWith(std::vector<registries::Registry> list, bool ca = true) {
  egress::EgressConfig config = SampleConfig();
  config.mirrors = registries::Cluster(std::move(list));
  config.mirrors.states_no_cas = !ca;
  if (ca) config.mirrors.cas = {{"m.example", {SampleCertificates().at(0).der}}};
  return config;
}

DesiredState DesiredFiles(const egress::EgressConfig& config, std::string folder = std::string(kFolder)) {
  DesiredOptions options;
  options.scope = Scope::None();
  options.scope.registries = true;
  options.registry_folder = std::move(folder);
  auto state = MakeDesiredState(config, options);
  EXPECT_TRUE(state) << state.error().message;
  return *std::move(state);
}
DesiredState DesiredFiles() { return DesiredFiles(ConfigWith({Source("quay.io", {ForAll("m.example/quay")})})); }

// With a proxy for the machine, as most settings have.
DesiredState WithProxy(DesiredState state) {
  state.scope.machine = true;
  state.environment = Desired(SampleConfig()).environment;
  return state;
}

void PutContainerd(MemoryMachine& memory, std::string_view config = R"([plugins."io.containerd.grpc.v1.cri".registry]
config_path = 'c:\certs.d'
)") {
  PutWindows(memory);
  memory.Put(kContainerd, Sz("ImagePath", R"("C:\Program Files\containerd\containerd.exe" --run-service)"));
  if (!config.empty()) memory.PutFileOf(kConfigToml, config);
  memory.MakeDurable();
}

TEST(FileKind, FilesAreWrittenOnceAndTakenBackWithTheirFolders) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  const Plan first = MustApply(memory, DesiredFiles());
  EXPECT_THAT(ChangesOf(first),
              ElementsAre(fmt::format("create file {}", R"(C:\certs.d\m.example\ca.crt)"),
                          fmt::format("create file {}", kQuayCa), fmt::format("create file {}", kQuay)));
  EXPECT_THAT(first.findings, IsEmpty());
  EXPECT_THAT(memory.FileAt(kQuay).value_or(""), HasSubstr(R"([host."https://m.example/v2/quay"])"));
  memory.log.clear();
  EXPECT_FALSE(MustApply(memory, DesiredFiles()).HasWork());
  EXPECT_THAT(memory.log, IsEmpty());
  EXPECT_THAT(DriftOf(memory), IsEmpty());
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

// Which item made a folder does not matter, nor which one is the last to go.
TEST(FileKind, FoldersOfOursGoWithTheLastFileInThem) {
  const auto files_of = [](const std::vector<std::string>& registries) {
    std::vector<registries::Registry> list;
    for (const std::string& one : registries) list.push_back(Source(one, {ForAll("m.example")}));
    return DesiredFiles(ConfigWith(std::move(list), false), R"(C:\containerd\certs.d)");
  };
  for (const bool foreign : {false, true}) {
    MemoryMachine memory;
    PutContainerd(memory);
    if (foreign) memory.PutFileOf(R"(C:\containerd\certs.d\theirs.example\hosts.toml)", "[host]\n");
    const auto before = memory.content();
    MustApply(memory, files_of({"a.example"}));
    MustApply(memory, files_of({"a.example", "b.example"}));
    MustApply(memory, files_of({"b.example", "c.example"}));
    EXPECT_FALSE(memory.content().folders.contains(R"(c:\containerd\certs.d\a.example)"));
    EXPECT_TRUE(memory.content().folders.contains(R"(c:\containerd\certs.d\b.example)"));
    MustApply(memory, NothingDesired());
    EXPECT_EQ(memory.content().Text(), before.Text()) << "foreign: " << foreign;
  }
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, files_of({"a.example"}));
  memory.PutFileOf(R"(C:\containerd\notes.txt)", "theirs");
  MustApply(memory, NothingDesired());
  EXPECT_TRUE(memory.content().folders.contains(R"(c:\containerd)")) << "somebody uses it now";
  EXPECT_FALSE(memory.content().folders.contains(R"(c:\containerd\certs.d)"));
}

TEST(FileKind, CasAreThereBeforeAndAfterTheFileThatNamesThem) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  const auto at = [&](const std::string& call) {
    const auto found = std::ranges::find(memory.log, call);
    EXPECT_NE(found, memory.log.end()) << call;
    return found - memory.log.begin();
  };
  EXPECT_LT(at(fmt::format("PutFile {}", kQuayCa)), at(fmt::format("PutFile {}", kQuay)));
  memory.log.clear();
  MustApply(memory, NothingDesired());
  EXPECT_LT(at(fmt::format("RemoveFile {}", kQuay)), at(fmt::format("RemoveFile {}", kQuayCa)));
}

TEST(FileKind, AFileOfOthersIsKeptAndComesBack) {
  MemoryMachine memory;
  PutContainerd(memory);
  memory.PutFileOf(kQuay,
                   "server = 'https://theirs.example'\n[host.'https://u:secret@theirs.example'.header]\na='b'\n");
  memory.PutFileOf(R"(C:\certs.d\quay.io\theirs.crt)", "x");
  const auto before = memory.content();
  const Plan plan = MustApply(memory, DesiredFiles());
  EXPECT_THAT(ChangesOf(plan), Contains(fmt::format("update file {}", kQuay)));
  for (const Change& change : plan.changes) EXPECT_THAT(change.before, Not(HasSubstr("secret")));
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, AFileThatIsAsWantedIsNotOurs) {
  MemoryMachine memory;
  PutContainerd(memory);
  const DesiredState desired = DesiredFiles();
  for (const FileItem& file : desired.files) memory.PutFileOf(file.path, file.bytes);
  EXPECT_FALSE(MustApply(memory, desired).HasWork());
  MustApply(memory, NothingDesired());
  EXPECT_TRUE(memory.FileAt(kQuay)) << "it was there before us";
  MustApply(memory, desired, {.adopt = true});
  MustApply(memory, NothingDesired());
  EXPECT_FALSE(memory.FileAt(kQuay)) << "it was ours, from a payload";
}

TEST(FileKind, ChangedAndMissingFilesAreDriftAndRepaired) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  const auto wanted = memory.content();
  memory.PutFileOf(kQuay, "[host]\n");
  machine::Machine machine = memory.Ports();
  ASSERT_TRUE(machine.files.RemoveFile(kQuayCa));
  EXPECT_THAT(DriftOf(memory),
              ElementsAre(fmt::format("file {} changed", kQuay), fmt::format("file {} missing", kQuayCa)));
  MustApply(memory, DesiredFiles());
  EXPECT_EQ(memory.content().Text(), wanted.Text());
  EXPECT_THAT(DriftOf(memory), IsEmpty());
}

TEST(FileKind, AFileThatOthersChangedStaysWhenOursAreTakenBack) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.PutFileOf(kQuay, "[host]\n");
  EXPECT_THAT(ChangesOf(MustApply(memory, NothingDesired())), Contains(fmt::format("yield file {}", kQuay)));
  EXPECT_EQ(memory.FileAt(kQuay), "[host]\n");
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "containerd refuses a file whose CAs are not there";
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\m.example\ca.crt)")) << "that one has no hosts.toml beside it";
  const auto left = memory.content();
  EXPECT_FALSE(MustApply(memory, NothingDesired()).HasWork()) << "they are not ours any more";
  EXPECT_EQ(memory.content().Text(), left.Text());
}

// The mirrors of a registry go, and somebody's change keeps its file: in a round, too, and if ours is not known any
// more.
// The mirrors of a registry go, and somebody's change keeps its file: in a round, too, and if ours is not known any
// more.
TEST(FileKind, CasStayWithAFileThatIsNotOurs) {
  struct Case {
    std::string_view added;
    bool forgotten, stays;
  };
  const Case kCases[] = {{"# by hand\n", false, true},
                         {"# by hand\n", true, true},
                         {"[", true, true},
                         {"", false, false},
                         {"[host]\n", true, false}};
  for (const auto& [added, forgotten, stays] : kCases) {
    SCOPED_TRACE(fmt::format("{} {}", added, forgotten));
    MemoryMachine memory;
    PutContainerd(memory);
    MustApply(memory, DesiredFiles());
    memory.PutFileOf(kQuay, added == "[host]\n" ? std::string(added) : *memory.FileAt(kQuay) + std::string(added));
    machine::Machine machine = memory.Ports();
    if (forgotten) {
      Ledger ledger = LoadLedger(machine.state).value();
      ASSERT_EQ(ledger.erase(ItemKey(kFileItem, AsciiLower(kQuay))), 1U);
      ASSERT_TRUE(machine.state.Commit({{std::string(kLedgerSection), LedgerJson(ledger)}}));
    }
    const Plan plan = MustApply(memory, DesiredFiles(ConfigWith({}, false)), {.leaves_out_refused = true});
    EXPECT_EQ(memory.FileAt(kQuayCa).has_value(), stays);
    const auto ca = std::ranges::find(plan.changes, kQuayCa, &Change::name);
    ASSERT_NE(ca, plan.changes.end());
    EXPECT_EQ(ca->action, stays ? Action::kYield : Action::kDelete);
    EXPECT_THAT(ca->reason, HasSubstr(stays ? "the hosts.toml beside it was changed" : "no longer wanted"));
  }
}

TEST(FileKind, AnotherFolderTakesThePlaceOfTheFirst) {
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

TEST(FileKind, ASourceWithoutMirrorsLeavesThemAndOneThatNamesNoneTakesThem) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  egress::EgressConfig silent = SampleConfig();
  EXPECT_FALSE(MustApply(memory, DesiredFiles(silent)).HasWork());
  EXPECT_TRUE(memory.FileAt(kQuay));
  MustApply(memory, DesiredFiles(ConfigWith({}, false)));
  EXPECT_FALSE(memory.FileAt(kQuay));
}

TEST(FileKind, WithoutTheOptionTheyAreTakenBack) {
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
  const auto without = MakeDesiredState(config, options);
  ASSERT_TRUE(without);
  EXPECT_THAT(CodesOf(without->findings), ElementsAre("registries-no-folder"));
  MustApply(memory, *without);
  EXPECT_FALSE(memory.FileAt(kQuay));
}

TEST(FileKind, ContainerdThatLooksElsewhereIsReported) {
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
  const auto plan = MakePlan(machine, DesiredFiles(), {}, {});
  ASSERT_TRUE(plan);
  ASSERT_THAT(CodesOf(plan->findings), ElementsAre("registries-config"));
  EXPECT_EQ(plan->findings.front().severity, Severity::kInfo) << "containerd is not installed yet";
}

TEST(FileKind, TheConfigurationIsWhereTheServiceSays) {
  MemoryMachine memory;
  PutContainerd(memory, "");
  memory.Put(kContainerd, Sz("ImagePath", R"(C:\nssm.exe)"));
  memory.Put(std::string(kContainerd) + R"(\Parameters)", Sz("AppParameters", R"(--config "D:\my conf\c.toml")"));
  memory.PutFileOf(R"(D:\my conf\c.toml)", "[plugins.cri.registry]\nconfig_path = 'C:\\certs.d'\n");
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty());
  EXPECT_TRUE(memory.FileAt(kQuay));
}

TEST(FileKind, ImportsOfTheConfigurationAreFollowed) {
  MemoryMachine memory;
  PutContainerd(memory, "version = 2\nimports = ['conf\\one.toml']\n");
  memory.PutFileOf(R"(C:\Program Files\containerd\conf\one.toml)",
                   "imports = ['C:/two.toml', '../config.toml']\n"
                   "[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\other'\n");
  memory.PutFileOf(R"(C:\two.toml)", "[plugins.'io.containerd.grpc.v1.cri'.registry]\nconfig_path = 'C:\\certs.d'\n");
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty());
}

// Neither half of the statement is a reason to remove what rests on the other one.
TEST(FileKind, ASourceThatSpeaksOfOneHalfLeavesFilesOfBothAsTheyAre) {
  const egress::EgressConfig both = ConfigWith({Source("quay.io", {ForAll("m.example")})});
  egress::EgressConfig only_cas = both;
  only_cas.mirrors.places.clear();
  only_cas.mirrors.registries.clear();
  egress::EgressConfig only_mirrors = ConfigWith({Source("new.example", {ForAll("m.example")})}, false);
  only_mirrors.mirrors.states_no_cas = false;
  for (const egress::EgressConfig& half : {only_cas, only_mirrors}) {
    MemoryMachine memory;
    PutContainerd(memory);
    MustApply(memory, DesiredFiles(both));
    const auto before = memory.content();
    const Plan plan = MustApply(memory, DesiredFiles(half));
    EXPECT_THAT(CodesOf(plan.findings), ElementsAre("registries-kept"));
    EXPECT_EQ(memory.content().files, before.files);
    MustApply(memory, NothingDesired());
    EXPECT_FALSE(memory.FileAt(kQuay)) << "a removal is a statement";
    EXPECT_FALSE(memory.FileAt(kQuayCa));
  }
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles(only_mirrors));
  only_mirrors.mirrors.registries = {Source("quay.io", {ForAll("m.example")})};
  EXPECT_THAT(MustApply(memory, DesiredFiles(only_mirrors)).findings, IsEmpty()) << "nothing rests on CAs";
  EXPECT_TRUE(memory.FileAt(kQuay));
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\new.example\hosts.toml)"));
  only_mirrors.mirrors.states_no_cas = true;
  MustApply(memory, DesiredFiles(both));
  EXPECT_TRUE(memory.FileAt(kQuayCa));
  MustApply(memory, DesiredFiles(only_mirrors));
  EXPECT_FALSE(memory.FileAt(kQuayCa)) << "that there are none is a statement";
}

TEST(FileKind, MirrorsThatCanNotBeReadAreLeftOutOfARoundAndRefusedToAPerson) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  const auto before = memory.content();
  egress::EgressConfig broken = ConfigWith({});
  broken.mirrors = {};
  broken.mirrors.fault = Error{Code::kRegistries, "not valid TOML", "registries.conf"};
  const auto by_hand = ApplyTo(memory, WithProxy(DesiredFiles(broken)));
  ASSERT_FALSE(by_hand);
  EXPECT_EQ(by_hand.error().code, Code::kRegistries);
  EXPECT_EQ(memory.content().Text(), before.Text());
  const auto round = ApplyTo(memory, WithProxy(DesiredFiles(broken)), {.leaves_out_refused = true});
  ASSERT_TRUE(round);
  EXPECT_THAT(CodesOf(round->findings), ElementsAre("registries-refused"));
  EXPECT_THAT(ChangesOf(*round), Contains("create env HTTP_PROXY"));
  EXPECT_EQ(memory.content().files, before.files);
}

TEST(FileKind, TheOperatorsContainerdIsRefused) {
  const auto refused = [](MemoryMachine& memory) {
    const auto before = memory.content();
    const auto round = ApplyTo(memory, WithProxy(DesiredFiles()), {.leaves_out_refused = true});
    ASSERT_TRUE(round) << round.error().message;
    EXPECT_THAT(CodesOf(round->findings), ElementsAre("registries-refused"));
    EXPECT_THAT(ChangesOf(*round), Contains("create env HTTP_PROXY")) << "the rest of the settings goes on";
    EXPECT_EQ(memory.content().files, before.files);
    MustApply(memory, NothingDesired());
    ASSERT_EQ(memory.content().Text(), before.Text());
    const auto plan = ApplyTo(memory, DesiredFiles());
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().code, Code::kOwner);
    EXPECT_THAT(plan.error().message, HasSubstr("leave out --registry-folder"));
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

TEST(FileKind, FilesThatAreThereStayWhenTheOperatorComes) {
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

TEST(FileKind, AFileThatOthersMayChangeIsDriftAndKeepsNobodyFromTheRest) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.unsafe_files.insert(AsciiLower(kQuay));
  EXPECT_THAT(DriftOf(memory), ElementsAre(fmt::format("file {} changed", kQuay)));
  for (const bool round : {false, true}) {
    MemoryMachine copy = memory;
    const auto run = ApplyTo(copy, WithProxy(DesiredFiles()), {.leaves_out_refused = round});
    ASSERT_TRUE(run);
    ASSERT_THAT(CodesOf(run->findings), ElementsAre("registry-file"));
    EXPECT_EQ(run->findings.front().severity, Severity::kWarning);
    EXPECT_EQ(run->findings.front().where, kQuay);
    EXPECT_THAT(run->findings.front().message,
                AllOf(HasSubstr("can be changed by Users"), HasSubstr("let administrators alone change it")));
    EXPECT_THAT(ChangesOf(*run), Contains("create env HTTP_PROXY"));
    EXPECT_THAT(ChangesOf(*run), Contains(fmt::format("yield file {}", kQuay)));
  }
  const DesiredState other = DesiredFiles(ConfigWith({Source("new.example", {ForAll("b.example")})}, false));
  MustApply(memory, other, {.leaves_out_refused = true});
  EXPECT_THAT(DriftOf(memory), Contains(fmt::format("file {} changed", kQuay))) << "a round tries again";
  const Plan removal = MustApply(memory, NothingDesired());
  EXPECT_THAT(ChangesOf(removal), Contains(fmt::format("yield file {}", kQuay)));
  EXPECT_TRUE(memory.FileAt(kQuay));
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "the file names it";
  EXPECT_FALSE(memory.FileAt(R"(C:\certs.d\new.example\hosts.toml)"));
  memory.unsafe_files.clear();
  MustApply(memory, NothingDesired());
  EXPECT_FALSE(memory.FileAt(kQuay)) << "it was ours all the time";
  EXPECT_FALSE(memory.FileAt(kQuayCa));
}

TEST(FileKind, AFileThatNamesACaThatCantBeWrittenIsLeft) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  memory.unsafe_files.insert(AsciiLower(kQuayCa));
  const Plan plan = MustApply(memory, DesiredFiles());
  EXPECT_THAT(ChangesOf(plan), ElementsAre(R"(create file C:\certs.d\m.example\ca.crt)",
                                           fmt::format("yield file {}", kQuayCa), fmt::format("yield file {}", kQuay)));
  EXPECT_FALSE(memory.FileAt(kQuay));
  memory.unsafe_files.clear();
  MustApply(memory, DesiredFiles());
  EXPECT_TRUE(memory.FileAt(kQuay));
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, ARecordThatNamesAnotherFileIsRefused) {
  for (const char* path : {R"(C:\windows\x)", R"(c:\certs.d\..\x)", R"(C:\k\x)", R"(C:\certs.d\x)",
                           R"(C:\certs.d\quay.io\x.exe)", R"(C:\quay.io\hosts.toml)", "", "x"}) {
    MemoryMachine memory;
    PutContainerd(memory);
    memory.PutFileOf(path, "x");
    LedgerEntry entry;
    entry.ours = images::RegValue{path, images::RegType::kBinary, "x"};
    for (const std::string& item : {ItemKey(kFileItem, R"(c:\certs.d\x)"), ItemKey(kFileItem, R"(c:\k\x)"),
                                    ItemKey(kFileItem, AsciiLower(path))}) {
      machine::Machine machine = memory.Ports();
      EXPECT_FALSE(MakePlan(machine, NothingDesired(), {{item, entry}}, {})) << path;
      EXPECT_FALSE(FindDrift(machine, {{item, entry}})) << path;
    }
  }
}

TEST(FileKind, ARollbackAndATrialGiveBackWhatWasThere) {
  for (const bool trial : {false, true}) {
    MemoryMachine memory;
    PutContainerd(memory);
    memory.PutFileOf(kQuay, "server = 'https://theirs.example'\n");
    const auto before = memory.content();
    ASSERT_TRUE(ApplyTo(memory, DesiredFiles(), {}, trial));
    ASSERT_NE(memory.content().Text(), before.Text());
    EXPECT_THAT(MustRollBack(memory), IsEmpty());
    EXPECT_EQ(memory.content().Text(), before.Text()) << (trial ? "trial" : "run");
  }
}

TEST(FileKind, ARollbackLeavesWhatOthersChangedSince) {
  MemoryMachine memory;
  PutContainerd(memory);
  MustApply(memory, DesiredFiles());
  memory.PutFileOf(kQuay, *memory.FileAt(kQuay) + "# by hand\n");
  EXPECT_THAT(CodesOf(MustRollBack(memory)), ElementsAre("changed-since"));
  EXPECT_THAT(memory.FileAt(kQuay).value_or(""), HasSubstr("by hand"));
  EXPECT_TRUE(memory.FileAt(kQuayCa)) << "containerd refuses a file whose CAs are not there";
  MustApply(memory, NothingDesired());
  EXPECT_TRUE(memory.FileAt(kQuayCa));
}

TEST(FileKind, WhatOthersWroteAsWantedIsNoDrift) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  MustApply(memory, DesiredFiles());
  const DesiredState other = DesiredFiles(ConfigWith({Source("quay.io", {ForAll("m.example/other")})}));
  for (const FileItem& file : other.files) memory.PutFileOf(file.path, file.bytes);
  EXPECT_THAT(DriftOf(memory), Not(IsEmpty()));
  MustApply(memory, other);
  EXPECT_THAT(DriftOf(memory), IsEmpty());
  EXPECT_FALSE(MustApply(memory, other).HasWork());
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

// A login in a header, for administrators alone, is not for others after the file was away for a while.
TEST(FileKind, ALoginOfOthersComesBackClosed) {
  constexpr std::string_view kTheirs = "[host.'https://t.example'.header]\nauthorization='Basic c2VjcmV0'\n";
  for (const bool closed : {false, true}) {
    MemoryMachine memory;
    PutContainerd(memory);
    memory.PutFileOf(kQuay, kTheirs);
    if (closed) memory.CloseFileOf(kQuay);
    const auto before = memory.content();
    MustApply(memory, DesiredFiles());
    machine::Machine machine = memory.Ports();
    ASSERT_TRUE(machine.files.RemoveFile(kQuay));
    MustApply(memory, DesiredFiles());
    MemoryMachine rolled_back = memory;
    MustApply(memory, NothingDesired());
    EXPECT_EQ(memory.content().Text(), before.Text()) << "closed: " << closed;
    MustRollBack(rolled_back);
    MustApply(rolled_back, NothingDesired());
    EXPECT_EQ(rolled_back.FileAt(kQuay), std::nullopt) << "as it was before that run, which is not ours to mend";
  }
  MemoryMachine memory;
  PutContainerd(memory);
  memory.PutFileOf(kQuay, kTheirs);
  memory.CloseFileOf(kQuay);
  const auto before = memory.content();
  MustApply(memory, DesiredFiles());
  memory.PutFileOf(kQuay, memory.FileAt(kQuay).value());  // another program makes it anew, for everybody to read
  MustRollBack(memory);
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, WhatNoLongerCountsOfAReplacedFileIsSaid) {
  MemoryMachine memory;
  PutContainerd(memory);
  memory.PutFileOf(kQuay,
                   "[host.'https://u:secret@theirs.example']\nclient='c4nary.pem'\nca='theirs.crt'\n"
                   "[host.'https://u:secret@theirs.example'.header]\nauthorization='Basic c2VjcmV0'\n");
  memory.PutFileOf(kQuayCa, "x");
  const Plan plan = MustApply(memory, DesiredFiles());
  ASSERT_THAT(CodesOf(plan.findings), ElementsAre("registry-file-replaced", "registry-file-replaced"));
  EXPECT_EQ(plan.findings.front().where, kQuayCa);
  const std::string& text = plan.findings.back().message;
  EXPECT_THAT(text, AllOf(HasSubstr("is another program's"), HasSubstr("host https://theirs.example"),
                          HasSubstr("authorization of https://theirs.example"), HasSubstr("client certificate of"),
                          HasSubstr("CA theirs.crt of")));
  EXPECT_THAT(text, Not(AnyOf(HasSubstr("secret"), HasSubstr("c2VjcmV0"), HasSubstr("c4nary"))));
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty()) << "said once";
  memory.PutFileOf(kQuay, *memory.FileAt(kQuay) + "# by hand\n");
  EXPECT_THAT(MustApply(memory, DesiredFiles()).findings, IsEmpty()) << "a note is no loss";
  memory.PutFileOf(kQuay, *memory.FileAt(kQuay) + "[host.'https://new.example']\n");
  const Plan repair = MustApply(memory, DesiredFiles());
  ASSERT_THAT(CodesOf(repair.findings), ElementsAre("registry-file-replaced"));
  EXPECT_THAT(repair.findings.front().message,
              AllOf(HasSubstr("changed by hand"), HasSubstr("host https://new.example")));
}

// A machine with a file of others, closed, and one run of ours; the next one changes, adds and takes away files.
struct TwoRuns {
  MemoryMachine start;
  MemoryMachine::Content foreign;
  DesiredState second;

  TwoRuns() {
    PutContainerd(start);
    start.PutFileOf(kQuay, "server = 'https://theirs.example'\n");
    start.CloseFileOf(kQuay);
    foreign = start.content();
    MustApply(start, DesiredFiles(ConfigWith({Source("quay.io", {ForAll("a.example")}),
                                              Source("old.example:5000", {ForAll("m.example")})})));
    start.Boot(Unflushed::kKept);
    start.file_calls = 0;
    second = WithProxy(DesiredFiles(
        ConfigWith({Source("quay.io", {ForAll("m.example")}), Source("new.example", {ForAll("b.example")})})));
  }
};

// Which run fails at which call of which port makes no difference: everything else is applied, what is recorded is
// true, and the next run gets there.
TEST(FileKind, FailingAtEveryCallOfAFileTheRestGoesOnAndTheNextRunGetsThere) {
  const TwoRuns runs;
  MemoryMachine wanted = runs.start;
  MustApply(wanted, runs.second);
  ASSERT_GT(wanted.file_calls, 20U);
  std::size_t reported = 0;
  for (std::size_t call = 0; call < wanted.file_calls; ++call) {
    for (const bool late : {false, true}) {
      MemoryMachine memory = runs.start;
      memory.fail_file_at = call;
      memory.fails_late = late;
      const auto plan = ApplyTo(memory, runs.second);
      SCOPED_TRACE(fmt::format("{} {} late: {}", call, memory.failed_call, late));
      ASSERT_TRUE(plan) << plan.error().message;
      ASSERT_EQ(memory.content().keys, wanted.content().keys);
      const auto codes = CodesOf(plan->findings);
      reported += static_cast<std::size_t>(std::ranges::count(codes, "registry-file"));
      const bool is_whole = memory.content().files == wanted.content().files;
      EXPECT_TRUE(is_whole || std::ranges::count(codes, "registry-file") > 0);
      for (const std::string& drift : DriftOf(memory)) {
        ASSERT_THAT(drift, testing::EndsWith(" missing")) << "gone, and its folder is still to go";
        ASSERT_THAT(codes, Contains("registry-file"));
      }
      memory.fail_file_at = MemoryMachine::kNever;
      MemoryMachine removed = memory;
      ASSERT_TRUE(ApplyTo(memory, runs.second));
      ASSERT_EQ(memory.content().Text(), wanted.content().Text());
      ASSERT_FALSE(MustApply(memory, runs.second).HasWork());
      for (MemoryMachine* one : {&memory, &removed}) {
        ASSERT_TRUE(ApplyTo(*one, NothingDesired()));
        ASSERT_EQ(one->content().Text(), runs.foreign.Text());
      }
    }
  }
  EXPECT_GT(reported, 20U);
}

// A round tries a file that can't be written again and again. That is no run to take back.
TEST(FileKind, AFileThatKeepsFailingDoesNotTakeThePlaceOfTheLastRun) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  const DesiredState desired = WithProxy(DesiredFiles());
  memory.unsafe_files.insert(AsciiLower(kQuay));
  MustApply(memory, desired);
  const auto last = memory.Section(kLastSection);
  for (int round = 0; round < 2; ++round) {
    const Plan plan = MustApply(memory, desired, {.leaves_out_refused = true});
    EXPECT_THAT(CodesOf(plan.findings), ElementsAre("registry-file"));
    EXPECT_EQ(memory.Section(kLastSection), last);
  }
  memory.unsafe_files.clear();
  machine::Machine machine = memory.Ports();
  const auto plan = MakePlan(machine, desired, LoadLedger(machine.state).value(), {});
  ASSERT_TRUE(plan);
  memory.unsafe_files.insert(AsciiLower(kQuay));  // between the plan and its execution
  const auto report = CarryOut(machine, *plan, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->writes, 0U);
  EXPECT_EQ(memory.Section(kLastSection), last);
  const auto change = std::ranges::find(report->changes, kQuay, &Change::name);
  ASSERT_NE(change, report->changes.end());
  EXPECT_EQ(change->reason, "could not be set");
  memory.unsafe_files.clear();
  MustRollBack(memory);
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileKind, ARemovalOrARollbackThatFailsAtAnyCallOfAFileIsMadeUpForByARemoval) {
  const TwoRuns runs;
  MemoryMachine start = runs.start;
  MustApply(start, runs.second);
  start.Boot(Unflushed::kKept);
  for (const bool rollback : {false, true}) {
    const auto run = [&](MemoryMachine& memory) {
      machine::Machine machine = memory.Ports();
      Findings findings;
      if (rollback) return Rollback(machine, findings).has_value();
      return ApplyTo(memory, NothingDesired()).has_value();
    };
    MemoryMachine copy = start;
    copy.file_calls = 0;
    ASSERT_TRUE(run(copy));
    const std::size_t calls = copy.file_calls;
    ASSERT_GT(calls, 10U);
    for (std::size_t call = 0; call < calls; ++call) {
      for (const bool late : {false, true}) {
        MemoryMachine memory = start;
        memory.file_calls = 0;
        memory.fail_file_at = call;
        memory.fails_late = late;
        const bool done = run(memory);
        SCOPED_TRACE(fmt::format("{} {} {} late: {}", rollback, call, memory.failed_call, late));
        ASSERT_TRUE(done);
        ASSERT_EQ(memory.content().keys, copy.content().keys);
        memory.fail_file_at = MemoryMachine::kNever;
        ASSERT_TRUE(ApplyTo(memory, NothingDesired()));
        ASSERT_EQ(memory.content().Text(), runs.foreign.Text());
      }
    }
  }
}

// A trial, too, can be confirmed or taken back when a file fails.
TEST(FileKind, ATrialThatFailsAtAnyCallOfAFileIsTakenBackOrConfirmed) {
  const TwoRuns runs;
  MemoryMachine wanted = runs.start;
  MustApply(wanted, runs.second);
  for (const bool confirmed : {false, true}) {
    MemoryMachine open = runs.start;
    ASSERT_TRUE(ApplyTo(open, runs.second, {}, true));
    open.file_calls = 0;
    const auto end = [&](MemoryMachine& memory) {
      machine::Machine machine = memory.Ports();
      Findings findings;
      return (confirmed ? Confirm(machine, findings) : EndWhatIsOpen(machine, findings)).has_value();
    };
    MemoryMachine copy = open;
    ASSERT_TRUE(end(copy));
    ASSERT_EQ(copy.content().Text(), (confirmed ? wanted : runs.start).content().Text());
    for (std::size_t call = 0; call < copy.file_calls; ++call) {
      for (const bool late : {false, true}) {
        MemoryMachine memory = open;
        memory.fail_file_at = call;
        memory.fails_late = late;
        const bool done = end(memory);
        SCOPED_TRACE(fmt::format("{} {} {} late: {}", confirmed, call, memory.failed_call, late));
        ASSERT_TRUE(done);
        memory.fail_file_at = MemoryMachine::kNever;
        ASSERT_TRUE(ApplyTo(memory, runs.second));
        ASSERT_EQ(memory.content().Text(), wanted.content().Text());
        ASSERT_TRUE(ApplyTo(memory, NothingDesired()));
        ASSERT_EQ(memory.content().Text(), runs.foreign.Text());
      }
    }
  }
}

// An interrupted run whose file became one that others may change: the next command finishes it all the same.
TEST(FileKind, AnInterruptedRunIsFinishedThoughAFileIsRefusedMeanwhile) {
  const TwoRuns runs;
  MemoryMachine wanted = runs.start;
  MustApply(wanted, runs.second);
  const std::size_t calls = wanted.calls;
  for (std::size_t call = 0; call < calls; ++call) {
    for (const std::string_view refused :
         {kQuay, kQuayCa, std::string_view(R"(C:\certs.d\old.example_5000_\hosts.toml)")}) {
      MemoryMachine memory = runs.start;
      memory.stop_after = call;
      ASSERT_THROW((void)ApplyTo(memory, runs.second), PowerFailure) << call;
      memory.Boot(Unflushed::kLost);
      memory.unsafe_files.insert(AsciiLower(refused));
      SCOPED_TRACE(fmt::format("{} {}", call, refused));
      const auto plan = ApplyTo(memory, runs.second);
      ASSERT_TRUE(plan) << plan.error().message;
      ASSERT_EQ(memory.content().keys, wanted.content().keys);
      machine::Machine machine = memory.Ports();
      ASSERT_FALSE(LoadJournal(machine.state).value()) << "nothing is left open";
      memory.unsafe_files.clear();
      ASSERT_TRUE(ApplyTo(memory, runs.second));
      ASSERT_EQ(memory.content().Text(), wanted.content().Text());
      ASSERT_TRUE(ApplyTo(memory, NothingDesired()));
      ASSERT_EQ(memory.content().Text(), runs.foreign.Text());
    }
  }
}

// From one set of files to another, with one of somebody else's among them, stopped at every call.
TEST(FileKind, StoppedAtEveryCallTheNextRunGetsThere) {
  MemoryMachine start;
  PutContainerd(start);
  start.PutFileOf(kQuay, "server = 'https://theirs.example'\n");
  const auto foreign = start.content();
  MustApply(start, DesiredFiles(ConfigWith(
                       {Source("quay.io", {ForAll("a.example")}), Source("old.example:5000", {ForAll("m.example")})})));
  start.Boot(Unflushed::kKept);
  const DesiredState second = DesiredFiles(
      ConfigWith({Source("quay.io", {ForAll("m.example")}), Source("new.example", {ForAll("b.example")})}));
  MemoryMachine copy = start;
  MustApply(copy, second);
  const std::size_t calls = copy.calls;
  ASSERT_GT(calls, 20U);
  for (std::size_t call = 0; call < calls; ++call) {
    for (const bool before : {true, false}) {
      for (const Unflushed unflushed : {Unflushed::kKept, Unflushed::kLost}) {
        MemoryMachine memory = start;
        (before ? memory.stop_before : memory.stop_after) = call;
        ASSERT_THROW((void)ApplyTo(memory, second), PowerFailure) << call;
        memory.Boot(unflushed);
        ASSERT_TRUE(ApplyTo(memory, second)) << call;
        ASSERT_EQ(memory.content().Text(), copy.content().Text()) << call;
        ASSERT_TRUE(ApplyTo(memory, NothingDesired())) << call;
        ASSERT_EQ(memory.content().Text(), foreign.Text()) << call;
      }
    }
  }
}

TEST(FileKind, ARemovalStoppedAtEveryCallIsFinished) {
  MemoryMachine start;
  PutContainerd(start);
  start.PutFileOf(kQuay, "server = 'https://theirs.example'\n");
  const auto foreign = start.content();
  MustApply(start, DesiredFiles(ConfigWith(
                       {Source("quay.io", {ForAll("m.example")}), Source("old.example:5000", {ForAll("m.example")})})));
  start.Boot(Unflushed::kKept);
  MemoryMachine copy = start;
  copy.calls = 0;
  MustApply(copy, NothingDesired());
  ASSERT_GT(copy.calls, 10U);
  for (std::size_t call = 0; call < copy.calls; ++call) {
    for (const bool before : {true, false}) {
      MemoryMachine memory = start;
      memory.calls = 0;
      (before ? memory.stop_before : memory.stop_after) = call;
      ASSERT_THROW((void)ApplyTo(memory, NothingDesired()), PowerFailure) << call;
      memory.Boot(Unflushed::kLost);
      ASSERT_TRUE(ApplyTo(memory, NothingDesired())) << call;
      ASSERT_EQ(memory.content().Text(), foreign.Text()) << call;
    }
  }
}

TEST(FileKind, AnOperationIsReadBackAndOnePlaceOfAnotherIsRefused) {
  const FileWrite write{
      std::string(kQuay), std::nullopt, "a\0\xFF", {std::string(kFolder)}, R"(file:c:\certs.d\quay.io\hosts.toml)"};
  JsonWriter json;
  WriteOperation(json, write);
  const auto read = ReadOperation(*ParseJsonDocument(json.Text(), "journal"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<FileWrite>(*read), write);
  EXPECT_EQ(Inverse(Inverse(write)), Operation(write));
  for (const auto& [item, path] : {std::pair(R"(file:c:\certs.d\x)", kQuay),
                                   {"env:HTTP_PROXY", kQuay},
                                   {R"(file:c:\k\x\hosts.toml)", R"(C:\k\x\hosts.toml)"},
                                   {R"(file:c:\a\..\x\y\hosts.toml)", R"(C:\a\..\x\y\hosts.toml)"},
                                   {R"(file:c:\x\hosts.toml)", R"(C:\x\hosts.toml)"},
                                   {R"(file:c:\windows\system32\x.exe)", R"(C:\Windows\System32\x.exe)"},
                                   {R"(file:c:\a\b\hosts.toml)", R"(C:\a/b\hosts.toml)"}}) {
    FileWrite other = write;
    other.item = item;
    other.path = path;
    other.own_folders.clear();
    JsonWriter text;
    WriteOperation(text, other);
    EXPECT_FALSE(ReadOperation(*ParseJsonDocument(text.Text(), "journal"))) << item;
  }
  for (const char* folder : {R"(C:\other)", R"(C:\certs.d\quay.io\hosts.toml)", R"(C:\certs)", "C:/certs.d", ""}) {
    FileWrite other = write;
    other.own_folders = {folder};
    JsonWriter text;
    WriteOperation(text, other);
    EXPECT_FALSE(ReadOperation(*ParseJsonDocument(text.Text(), "journal"))) << folder;
  }
}

}  // namespace
}  // namespace prov::reconcile
