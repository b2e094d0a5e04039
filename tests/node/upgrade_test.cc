// Upgrades from another version of the program: which program runs afterwards, what is reported, and interrupted
// upgrades.
#include "provisioner/node/upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/node/node_helpers.h"
#include "tests/support/kills.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::MemoryHost;

class Upgrade : public NodeTest {
 protected:
  static Result<ProgramReport> Install(MemoryHost& host, std::string_view version, bool allow_older = false) {
    host.own_version = version;
    OpenNode n = NodeOn(host);
    return InstallProgramAndService(n, allow_older);
  }
  Result<ProgramReport> Install(std::string_view version, bool allow_older = false) {
    return Install(host_, version, allow_older);
  }
  static MemoryHost::Service& ServiceOf(MemoryHost& host) { return host.services_by_name.at("provisioner"); }
  MemoryHost::Service& Service() { return ServiceOf(host_); }
  std::uint32_t ProcessId() { return Service().process_id; }
};

TEST_F(Upgrade, StopsTheServiceSwapsTheProgramAndStartsIt) {
  ASSERT_TRUE(Install("0.1.0"));
  const std::uint32_t process = ProcessId();
  const auto upgraded = Must(Install("0.2.0"));
  EXPECT_TRUE(upgraded.wrote);
  EXPECT_TRUE(upgraded.replaced);
  EXPECT_EQ(upgraded.before->Text(), "0.1.0");
  EXPECT_EQ(upgraded.now->Text(), "0.2.0");
  EXPECT_EQ(Service().version, "0.2.0");
  EXPECT_NE(ProcessId(), process);
  EXPECT_NE(ProcessId(), 0U);
  EXPECT_EQ(host_.former_version, "") << "nothing of the former program stays";
}

TEST_F(Upgrade, TheSameProgramLeavesTheServiceRunning) {
  ASSERT_TRUE(Install("0.1.0"));
  const std::uint32_t process = ProcessId();
  const auto again = Must(Install("0.1.0"));
  EXPECT_FALSE(again.wrote);
  EXPECT_FALSE(again.replaced);
  EXPECT_EQ(ProcessId(), process);
}

// What a version that did not restart the service left behind.
TEST_F(Upgrade, AServiceThatStillRunsTheFormerProgramIsStartedAnew) {
  ASSERT_TRUE(Install("0.1.0"));
  host_.installed_version = "0.2.0";
  const std::uint32_t process = ProcessId();
  const auto again = Must(Install("0.2.0"));
  EXPECT_TRUE(again.wrote);
  EXPECT_TRUE(again.replaced);
  EXPECT_NE(ProcessId(), process);
  EXPECT_EQ(Service().version, "0.2.0");
}

TEST_F(Upgrade, AServiceWithOtherWordsIsStartedAnew) {
  ASSERT_TRUE(Install("0.1.0"));
  Service().definition.command_line += " --interval 5";
  const std::uint32_t process = ProcessId();
  ASSERT_TRUE(Install("0.1.0"));
  EXPECT_NE(ProcessId(), process);
  EXPECT_THAT(Service().definition.command_line, Not(HasSubstr("--interval")));
}

TEST_F(Upgrade, AnOlderProgramIsRefusedBeforeAnythingIsDone) {
  ASSERT_TRUE(Install("0.10.0"));
  const std::uint32_t process = ProcessId();
  host_.memory.log.clear();
  const Error refused = ErrorIn(Install("0.9.0"));
  EXPECT_EQ(refused.code, Code::kDowngrade);
  EXPECT_THAT(refused.message, HasSubstr("0.10.0"));
  EXPECT_THAT(refused.message, HasSubstr("0.9.0"));
  EXPECT_THAT(refused.message, HasSubstr("--allow-downgrade"));
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_EQ(ProcessId(), process);
  EXPECT_EQ(host_.installed_version, "0.10.0");
  ASSERT_TRUE(Install("0.9.0", true));
  EXPECT_EQ(Service().version, "0.9.0");
}

TEST_F(Upgrade, AFirstBootOfAnOlderProgramChangesNothing) {
  ASSERT_TRUE(Install("0.2.0"));
  host_.memory.log.clear();
  host_.own_version = "0.1.0";
  OpenNode n = node();
  EXPECT_EQ(ErrorIn(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {})).code, Code::kDowngrade);
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_FALSE(Variable("HTTP_PROXY"));
  Delivery allowed{SpecOf("payload"), true, {}};
  allowed.allow_downgrade = true;
  EXPECT_TRUE(FirstBoot(n, SampleSettings(), allowed, {}));
}

TEST_F(Upgrade, AFirstBootOfANewerProgramTellsBothVersionsAndKeepsTheState) {
  OpenNode n = node();
  ASSERT_TRUE(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}));
  host_.own_version = "0.2.0";
  const auto upgraded = Must(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}));
  EXPECT_EQ(upgraded.writes, 0U) << "what was set is known";
  EXPECT_THAT(Codes(upgraded.findings), Contains("program-replaced"));
  const auto told = std::ranges::find(upgraded.findings, "program-replaced",
                                      [](const Finding& f) { return std::string(std::string_view(f.code)); });
  EXPECT_THAT(told->message, HasSubstr("0.2.0 replaced 0.1.0"));
}

TEST_F(Upgrade, AProgramThatDoesNotStartGivesWayToTheFormerOne) {
  ASSERT_TRUE(Install("0.1.0"));
  Service().definition.command_line += " --of-the-former-version";
  host_.broken_versions = {"0.2.0"};
  const Error failed = ErrorIn(Install("0.2.0"));
  EXPECT_EQ(failed.code, Code::kIo);
  EXPECT_THAT(failed.message, HasSubstr("cannot start the service"));
  EXPECT_THAT(failed.message, HasSubstr("the former program (0.1.0) is back and its service runs"));
  EXPECT_EQ(host_.installed_version, "0.1.0");
  EXPECT_EQ(Service().version, "0.1.0");
  EXPECT_NE(ProcessId(), 0U);
  EXPECT_THAT(Service().definition.command_line, HasSubstr("--of-the-former-version"));
  host_.broken_versions.clear();
  EXPECT_TRUE(Install("0.2.0"));
}

// The service control manager takes it for started.
TEST_F(Upgrade, AProgramThatEndsAtOnceGivesWayToTheFormerOne) {
  ASSERT_TRUE(Install("0.1.0"));
  host_.waits_left = 100;
  host_.during_wait = [this] {
    if (Service().version == "0.2.0") Service().process_id = 0;
  };
  const Error failed = ErrorIn(Install("0.2.0"));
  EXPECT_THAT(failed.message, HasSubstr("ended again at once"));
  EXPECT_EQ(Service().version, "0.1.0");
  EXPECT_NE(ProcessId(), 0U);
}

TEST_F(Upgrade, WithoutAFormerProgramTheErrorSaysNothingOfOne) {
  host_.broken_versions = {"0.1.0"};
  const Error failed = ErrorIn(Install("0.1.0"));
  EXPECT_THAT(failed.message, Not(HasSubstr("former")));
  EXPECT_EQ(host_.installed_version, "0.1.0") << "a later start may do";
}

TEST_F(Upgrade, AFullDiskLeavesTheFormerProgramRunning) {
  ASSERT_TRUE(Install("0.1.0"));
  host_.install_error = Error{Code::kIo, "the disk is full", "provisioner.exe"};
  const Error failed = ErrorIn(Install("0.2.0"));
  EXPECT_THAT(failed.message, HasSubstr("the disk is full"));
  EXPECT_EQ(Service().version, "0.1.0");
  EXPECT_NE(ProcessId(), 0U);
}

TEST_F(Upgrade, DuringSetupNothingIsStarted) {
  host_.memory.Put(R"(SYSTEM\Setup)", {"SystemSetupInProgress", images::RegType::kDword, std::string("\1\0\0\0", 4)});
  ASSERT_TRUE(Install("0.1.0"));
  ASSERT_TRUE(Install("0.2.0"));
  EXPECT_EQ(ProcessId(), 0U);
  EXPECT_EQ(host_.installed_version, "0.2.0");
  EXPECT_EQ(host_.former_version, "");
}

class CutUpgrade : public Upgrade {
 protected:
  CutUpgrade() {
    EXPECT_TRUE(Install("0.1.0"));
    host_.memory.MakeDurable();
  }

  // A copy for each call that an upgrade makes, ended before and behind it. The machine does not boot.
  std::vector<MemoryHost> AtEachCall() {
    std::vector<MemoryHost> out;
    testing_support::KillAtEveryCall(
        host_, [](MemoryHost& host) { EXPECT_TRUE(Install(host, "0.2.0")); },
        [&](const MemoryHost& cut, std::size_t) { out.push_back(cut); }, 1);
    EXPECT_GT(out.size(), 20U);
    return out;
  }
};

TEST_F(CutUpgrade, IsFinishedByTheNextRun) {
  for (MemoryHost& cut : AtEachCall()) {
    Must(Install(cut, "0.2.0"));
    ASSERT_EQ(cut.installed_version, "0.2.0");
    ASSERT_EQ(ServiceOf(cut).version, "0.2.0");
    ASSERT_NE(ServiceOf(cut).process_id, 0U);
    ASSERT_EQ(cut.former_version, "");
  }
}

TEST_F(CutUpgrade, GoesBackToTheProgramThatRanBeforeIt) {
  std::size_t back = 0;
  for (MemoryHost& cut : AtEachCall()) {
    if (ServiceOf(cut).process_id != 0 && ServiceOf(cut).version == "0.2.0") continue;  // it has shown that it starts
    cut.broken_versions = {"0.2.0"};
    const auto failed = Install(cut, "0.2.0");
    ASSERT_FALSE(failed);
    ASSERT_EQ(cut.installed_version, "0.1.0");
    ASSERT_EQ(ServiceOf(cut).version, "0.1.0");
    ASSERT_NE(ServiceOf(cut).process_id, 0U);
    ++back;
  }
  EXPECT_GT(back, 10U);
}

// A third version does not take a second one for good that never ran.
TEST_F(CutUpgrade, OfAnotherVersionGoesBackToTheOneThatRan) {
  for (MemoryHost& cut : AtEachCall()) {
    if (ServiceOf(cut).process_id != 0) continue;
    cut.broken_versions = {"0.3.0"};
    ASSERT_FALSE(Install(cut, "0.3.0"));
    ASSERT_EQ(ServiceOf(cut).version, "0.1.0");
    ASSERT_NE(ServiceOf(cut).process_id, 0U);
  }
}

}  // namespace
}  // namespace prov::node
