// The states that programs left on nodes: what a later program finds when it comes to such a node.
// tests/golden/state-v1 has a file for each section (commit d1eab01); state-v2 has the state record. Each folder in
// them is a state folder. They are not made again: a later form of the state gets a folder of its own, by
//
//   STATE_FIXTURE=tests/golden/state-v3 node_tests --gtest_also_run_disabled_tests
//   --gtest_filter=StateFixtureDump.DISABLED_Dump
#include <cstdlib>
#include <filesystem>

#include "provisioner/base/file.h"
#include "provisioner/machine/earlier_state.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/records.h"
#include "provisioner/node/status.h"
#include "provisioner/reconcile/wmco.h"
#include "tests/node/node_helpers.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::node {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsEmpty;
using testing_support::MemoryHost;

constexpr std::int64_t kTrialSeconds = 300;
const std::string kSource = R"(C:\egress\config.json)";

// Small: certificates make the most of a state.
Settings SmallSettings() {
  Settings out = SampleSettings();
  out.config.certificates.resize(1);
  return out;
}

Settings SmallOther() {
  Settings out = OtherSettings();
  out.config.certificates.resize(1);
  return out;
}

void Must(const Result<reconcile::SessionReport>& report) {
  ASSERT_TRUE(report) << report.error().where << ": " << report.error().message;
}

// A first boot from a signed payload that is followed.
void LeaveApplied(MemoryHost& host) {
  Settings settings = SmallSettings();
  settings.payload = std::string(64, 'a');
  settings.signer = std::string(64, 'b');
  OpenNode n = NodeOn(host);
  Must(FirstBoot(n, settings, {{kSource}, true, {}}, {}));
}
// Two runs, the second of which was taken back.
void LeaveHeld(MemoryHost& host) {
  OpenNode n = NodeOn(host);
  Must(ApplySettings(n, SmallSettings(), {}));
  Must(ApplySettings(n, SmallOther(), {}));
  Must(Rollback(n));
}
void LeaveTrial(MemoryHost& host) {
  OpenNode n = NodeOn(host);
  Must(TrySettings(n, SmallSettings(), {}, kTrialSeconds));
}
// The power went in the middle of the registry's changes.
void LeaveInterrupted(MemoryHost& host) {
  const auto wrote = [](const MemoryHost& one) {
    return std::ranges::count_if(one.memory.log, [](const std::string& call) { return call.starts_with("Set "); });
  };
  for (std::size_t at = 0; wrote(host) < 2; ++at) {
    ASSERT_LT(at, 1000U);
    host = MemoryHost();
    reconcile::PutWindows(host.memory);
    host.memory.stop_after = at;
    OpenNode n = NodeOn(host);
    EXPECT_THROW((void)ApplySettings(n, SmallSettings(), {}), testing_support::PowerFailure);
  }
  ASSERT_TRUE(host.memory.files().contains("journal.json"));
}
// What keeps a node that nobody watches from doing harm, and a first boot that failed.
void LeaveGuarded(MemoryHost& host) {
  host.memory.PutKey(std::string(R"(SYSTEM\CurrentControlSet\Services\)") + std::string(reconcile::kWmcoDaemon));
  OpenNode n = NodeOn(host);
  Settings settings = SmallSettings();
  settings.options.scope.certificates = false;
  Must(ApplySettings(n, settings, {.unattended = true}));
  ASSERT_TRUE(SaveBoots(host.memory.State(), {"change", {"boot"}}));
  ASSERT_TRUE(SaveFailure(host.memory.State(), {Code::kProxyUrl, "is malformed", kSource}));
}

class StateFixture : public NodeTest, public testing::WithParamInterface<const char*> {
 protected:
  static std::string Place() { return testing_support::TestsFolder() + "/golden/" + GetParam(); }

  void SetUp() override { ASSERT_TRUE(fs::is_directory(Place() + "/applied")) << Place(); }

  static std::map<std::string, std::string> Files(const std::string& folder) {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(Place() + "/" + folder)) {
      out[entry.path().filename().string()] = testing_support::ReadAll(entry.path().string());
    }
    EXPECT_FALSE(out.empty()) << folder;
    return out;
  }

  // A node with the files of a folder, and with what its journal or its last run says that it has.
  void Load(const std::string& folder) {
    host_.memory.files() = Files(folder);
    base_ = host_.memory.content().Text();
    machine::Machine ports = host_.memory.Ports();
    auto run = reconcile::LoadJournal(ports.state).value();
    if (!run) run = reconcile::LoadLast(ports.state).value();
    if (!run) return;
    for (const reconcile::Operation& operation : run->operations) ASSERT_TRUE(reconcile::Execute(ports, operation));
  }
  // The first commit takes the files of earlier versions away.
  void ExpectTakenOver() {
    for (const std::string_view file : machine::EarlierFiles()) EXPECT_FALSE(HasFile(file)) << file;
  }
  NodeStatus Status() {
    OpenNode n = node();
    const auto status = StatusOf(n);
    EXPECT_TRUE(status) << status.error().where << ": " << status.error().message;
    return status.value_or(NodeStatus());
  }
  // The items that this program would own after the same run.
  std::vector<std::string> ItemsAfter(void (*run)(MemoryHost&)) {
    MemoryHost today;
    reconcile::PutWindows(today.memory);
    run(today);
    OpenNode n = NodeOn(today);
    return Items(StatusOf(n).value());
  }
  static std::vector<std::string> Items(const NodeStatus& status) {
    std::vector<std::string> out;
    for (const auto& [item, entry] : status.engine.ledger) out.push_back(item);
    return out;
  }

  std::string base_;
};

TEST_P(StateFixture, ANodeThatFollowsASource) {
  Load("applied");
  const NodeStatus status = Status();
  EXPECT_EQ(Items(status), ItemsAfter(LeaveApplied));
  EXPECT_THAT(status.engine.drift, IsEmpty());
  EXPECT_TRUE(status.engine.reboot_required);
  ASSERT_TRUE(status.source);
  EXPECT_EQ(status.source->words, SourceWords{kSource});
  EXPECT_TRUE(status.source->follow);
  ASSERT_TRUE(status.applied);
  EXPECT_EQ(status.applied->generation, 1);
  EXPECT_EQ(status.applied->since, host_.now);
  EXPECT_FALSE(status.Differs());

  OpenNode n = node();
  const auto older = ApplySettings(n,
                                   [] {
                                     Settings out = SmallOther();
                                     out.generation = 0;
                                     out.payload = std::string(64, 'c');
                                     out.signer = std::string(64, 'b');
                                     return out;
                                   }(),
                                   {});
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().code, Code::kDowngrade) << "the floor counts";
  const auto kept = LastGoodSettings(host_.memory.State());
  ASSERT_TRUE(kept) << kept.error().message;
  const auto again = ApplySettings(n, *kept, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->writes, 0U);
  Must(RemoveSettings(n));
  EXPECT_EQ(host_.memory.content().Text(), base_) << "all of it is known to be ours";
  ExpectTakenOver();
}

// As an operator brings a newer program to a node whose service runs.
TEST_P(StateFixture, AnUpgradeKeepsAllOfIt) {
  Load("applied");
  host_.program_installed = true;
  host_.installed_version = "0.1.0";
  host_.own_version = "0.2.0";
  ASSERT_TRUE(host_.Start(kServiceName));
  const NodeStatus before = Status();
  OpenNode n = node();
  Findings findings;
  const auto upgraded = InstallService(n, nullptr, {}, findings);
  ASSERT_TRUE(upgraded) << upgraded.error().message;
  EXPECT_TRUE(upgraded->replaced);
  EXPECT_THAT(Codes(findings), Contains("program-replaced"));
  EXPECT_EQ(host_.services_by_name.at("provisioner").version, "0.2.0");
  const NodeStatus after = Status();
  EXPECT_EQ(Items(after), Items(before));
  EXPECT_THAT(after.engine.drift, IsEmpty());
  EXPECT_EQ(after.source, before.source);
  EXPECT_EQ(after.applied, before.applied);
  const auto round = RunRound(host_, [](const SourceWords&) -> Result<Settings> {
    return Fail(Code::kNetwork, "the cluster is away", "source");
  });
  ASSERT_TRUE(round && *round) << round.error().message;
  EXPECT_EQ((*round)->session.writes, 0U) << "the settings that were kept are read as well";
}

TEST_P(StateFixture, ANodeOnWhichARollbackHolds) {
  Load("held");
  const NodeStatus status = Status();
  EXPECT_EQ(Items(status), ItemsAfter(LeaveHeld));
  EXPECT_TRUE(status.held);
  EXPECT_TRUE(status.applied);
}

TEST_P(StateFixture, ATrialThatIsOpen) {
  Load("trial");
  const NodeStatus status = Status();
  EXPECT_TRUE(status.engine.trial);
  ASSERT_TRUE(status.trial);
  EXPECT_EQ(status.trial->until, host_.now + kTrialSeconds);
  OpenNode n = node();
  EXPECT_TRUE(TrialIsOpen(n).value());
  Must(ConfirmTrial(n));
  EXPECT_EQ(Items(Status()), ItemsAfter(LeaveApplied));
  ASSERT_TRUE(Status().applied);
  EXPECT_EQ(Status().applied->generation, 1);
  EXPECT_FALSE(HasSection(kTrialSection));
  Must(RemoveSettings(n));
  EXPECT_EQ(host_.memory.content().Text(), base_);
}

TEST_P(StateFixture, ATrialThatIsTakenBack) {
  Load("trial");
  OpenNode n = node();
  Must(Rollback(n));
  EXPECT_EQ(host_.memory.content().Text(), base_);
  EXPECT_FALSE(HasSection(kTrialSection));
  EXPECT_TRUE(HasSection(kHoldSection));
  EXPECT_FALSE(Status().applied) << "nothing was applied before it";
}

class EarlierStateFixture : public StateFixture {};

// Earlier versions wrote trial.json first.
TEST_P(EarlierStateFixture, ATrialThatNeverBeganIsNoHindrance) {
  Load("applied");
  host_.memory.files()["trial.json"] = Files("trial").at("trial.json");
  OpenNode n = node();
  Must(Rollback(n));
  EXPECT_EQ(host_.memory.content().Text(), base_) << "the run before is what was taken back";
  EXPECT_FALSE(HasSection(kTrialSection));
}

// Whatever call of a port is the last one, the state is the old one or the new one, and never less than both said.
TEST_P(StateFixture, IsTakenOverInOneStep) {
  Load("guarded");
  const std::vector<std::string> items = Items(Status());
  const MemoryHost start = host_;
  const auto commit = [](MemoryHost& host) { return Remember(host.memory.State(), kHoldSection, HoldJson("digest")); };
  MemoryHost done = start;
  done.memory.calls = 0;
  ASSERT_TRUE(commit(done));
  const auto wanted = done.memory.Sections();
  for (std::size_t call = 0; call < done.memory.calls; ++call) {
    for (const auto stop :
         {&testing_support::MemoryMachine::stop_before, &testing_support::MemoryMachine::stop_after}) {
      host_ = start;
      host_.memory.calls = 0;
      host_.memory.*stop = call;
      EXPECT_THROW((void)commit(host_), testing_support::PowerFailure);
      host_.memory.Boot(testing_support::MemoryMachine::Unflushed::kLost);
      EXPECT_EQ(Items(Status()), items);
      ASSERT_TRUE(commit(host_));
      EXPECT_EQ(host_.memory.Sections(), wanted) << call;
      ExpectTakenOver();
      host_.memory.log.clear();
      ASSERT_TRUE(commit(host_));
      EXPECT_THAT(host_.memory.log, IsEmpty()) << "a second time nothing is written";
    }
  }
}

TEST_P(StateFixture, ARunThatWasInterrupted) {
  Load("interrupted");
  EXPECT_TRUE(Status().engine.open_transaction);
  EXPECT_FALSE(Status().engine.trial);
  OpenNode n = node();
  const auto ended = ApplySettings(n, SmallSettings(), {});
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_THAT(Codes(ended->findings), Contains("recovered"));
  EXPECT_EQ(Items(Status()), ItemsAfter(LeaveApplied));
  Must(RemoveSettings(n));
  EXPECT_EQ(host_.memory.content().Text(), base_);
}

TEST_P(StateFixture, ANodeWithGuards) {
  Load("guarded");
  const NodeStatus status = Status();
  EXPECT_EQ(Items(status), ItemsAfter(LeaveGuarded));
  ASSERT_TRUE(status.failure);
  EXPECT_THAT(*status.failure, testing::HasSubstr("is malformed"));
  const auto boots = LoadBoots(host_.memory.State());
  ASSERT_TRUE(boots && *boots);
  EXPECT_EQ((*boots)->ids, std::vector<std::string>{"boot"});
  machine::Machine ports = host_.memory.Ports();
  EXPECT_TRUE(reconcile::YieldsEnvironment(ports, false).value()) << "the daemon was seen, although it is gone now";
}

INSTANTIATE_TEST_SUITE_P(OfVersion, StateFixture, testing::Values("state-v1", "state-v2"),
                         [](const auto& info) { return std::string(info.param).ends_with("1") ? "Files" : "Record"; });
INSTANTIATE_TEST_SUITE_P(OfVersion, EarlierStateFixture, testing::Values("state-v1"),
                         [](const auto&) { return std::string("Files"); });

TEST(StateFixtureDump, DISABLED_Dump) {
  const char* const place = std::getenv("STATE_FIXTURE");
  ASSERT_TRUE(place != nullptr) << "name the folder in STATE_FIXTURE";
  const std::pair<const char*, void (*)(MemoryHost&)> runs[] = {{"applied", LeaveApplied},
                                                                {"held", LeaveHeld},
                                                                {"trial", LeaveTrial},
                                                                {"interrupted", LeaveInterrupted},
                                                                {"guarded", LeaveGuarded}};
  for (const auto& [name, run] : runs) {
    MemoryHost host;
    reconcile::PutWindows(host.memory);
    run(host);
    fs::create_directories(fs::path(place) / name);
    for (const auto& [file, bytes] : host.memory.files()) {
      ASSERT_TRUE(WriteFileAtomically((fs::path(place) / name / file).string(), bytes, 0644));
    }
  }
}

}  // namespace
}  // namespace prov::node
