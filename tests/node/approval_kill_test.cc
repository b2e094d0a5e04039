// Approved rounds that are killed at any call of a port.
#include <array>

#include "tests/node/approval_fixture.h"
#include "tests/support/kills.h"

namespace prov::node {
namespace {

using testing_support::MemoryHost;

// Killed at every call of a port of an approved round, the machine has the old or the new settings after the next
// round, with the result that goes with them.
class ApprovalKill : public NodeTest {
 protected:
  static void Do(MemoryHost& host, FakeCluster cluster) {
    const auto round =
        RunRound(host, [](const SettingsSpec&) -> Result<Settings> { return Read(OtherSettings()); }, &cluster);
    ASSERT_TRUE(round) << round.error().message;
  }
  static MemoryHost Booted() {
    MemoryHost host;
    reconcile::PutWindows(host.memory);
    OpenNode n = NodeOn(host);
    EXPECT_TRUE(FirstBoot(n, Read(SampleSettings()), {SpecOf("payload"), true, {}}, {}));
    host.memory.MakeDurable();
    return host;
  }
  static std::string Content(const MemoryHost& host) { return host.memory.content().Text(); }
};

TEST_F(ApprovalKill, OldOrNewAndTheNextRoundSaysWhich) {
  const MemoryHost start = Booted();
  const std::string old_content = Content(start);
  for (const bool proves : {true, false}) {
    FakeCluster cluster;
    cluster.approval = Approving(OtherSettings());
    if (!proves) cluster.reach = Fail(Code::kNetwork, "no route", "https://api");
    MemoryHost done = start;
    Do(done, cluster);
    const std::string new_content = Content(done);
    ASSERT_EQ(new_content == old_content, !proves);
    std::array<std::size_t, 2> ends = {0, 0};  // old, new
    const auto look = [&](const MemoryHost& killed, std::size_t call) {
      for (const bool boot : {false, true}) {
        SCOPED_TRACE(boot ? "then a boot" : "the process alone");
        MemoryHost host = killed;
        if (boot) testing_support::BootAfterKill(host, call);
        // The cluster says nothing any more, as a node that lost it finds.
        FakeCluster lost;
        lost.approval = Fail(Code::kNetwork, "no route", "https://api");
        Do(host, lost);
        const bool is_new = Content(host) == new_content && proves;
        ASSERT_EQ(Content(host), is_new ? new_content : old_content);
        ASSERT_FALSE(host.memory.files().contains("journal.json"));
        const auto record = LoadApproval(host.memory.State()).value();
        ASSERT_TRUE(record);
        if (record->trial) {
          const ApprovedResult result = record->trial->result;
          if (is_new) {
            ASSERT_EQ(result, ApprovedResult::kConfirmed);
          } else {
            ASSERT_THAT(result, testing::AnyOf(ApprovedResult::kTakenBack, ApprovedResult::kUndecided));
            ASSERT_TRUE(!proves || result == ApprovedResult::kUndecided) << "a kill is no verdict";
          }
          ASSERT_EQ(record->trial->reason.empty(), is_new);
        } else {
          ASSERT_FALSE(is_new);
        }
        const auto applied = LoadApplied(host.memory.State()).value();
        ASSERT_EQ(applied->source_digest, DigestOf(is_new ? OtherSettings() : SampleSettings()));
        ++ends.at(is_new ? 1 : 0);
        // The same approval is tried to its end when the cluster is back.
        Do(host, cluster);
        ASSERT_EQ(Content(host), new_content);
        ASSERT_EQ(LoadApproval(host.memory.State()).value()->trial->result,
                  proves ? ApprovedResult::kConfirmed : ApprovedResult::kTakenBack);
      }
    };
    testing_support::KillAtEveryCall(start, [&](MemoryHost& host) { Do(host, cluster); }, look);
    EXPECT_GT(ends[0] + ends[1], 80 / testing_support::CallStride());
    EXPECT_GT(ends[0], 0U);
    EXPECT_EQ(ends[1] > 0, proves);
  }
}

// A rollback by a person during the trial holds as a whole, or the trial was cut short.
TEST_F(ApprovalKill, ARollbackDuringTheTrialHoldsOrIsNone) {
  MemoryHost start = Booted();
  const std::string old_content = Content(start);
  {
    OpenNode n = NodeOn(start);
    ASSERT_TRUE(Begin(n, OtherSettings()));
  }
  start.memory.MakeDurable();
  const auto roll_back = [](MemoryHost& host) {
    OpenNode n = NodeOn(host);
    ASSERT_TRUE(RollBackMachine(n));
  };
  std::array<std::size_t, 2> ends = {0, 0};  // cut short, held
  testing_support::KillAtEveryCall(start, roll_back, [&](MemoryHost& host, std::size_t) {
    Do(host, {});
    ASSERT_EQ(Content(host), old_content);
    const ApprovedTrial trial = *LoadApproval(host.memory.State()).value()->trial;
    ASSERT_EQ(trial.result, trial.by_person ? ApprovedResult::kTakenBack : ApprovedResult::kUndecided);
    ASSERT_EQ(LoadHold(host.memory.State()).value().has_value(), trial.by_person);
    ++ends.at(trial.by_person ? 1 : 0);
  });
  EXPECT_GT(ends[0], 0U);
  EXPECT_GT(ends[1], 0U);
}

}  // namespace
}  // namespace prov::node
