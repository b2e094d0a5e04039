#include "provisioner/reconcile/session.h"

#include <gmock/gmock.h>

#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using testing::IsEmpty;
using testing_support::MemoryMachine;

class Session : public ::testing::Test {
 protected:
  Session() { PutWindows(memory_); }

  SessionReport Apply(bool trial = false) { return ApplyOn(machine_, Desired(), {}, trial).value(); }

  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
};

TEST_F(Session, APlanOnlyReads) {
  const auto report = PlanOn(machine_, Desired(), {});
  ASSERT_TRUE(report);
  EXPECT_GT(report->writes, 0U);
  EXPECT_TRUE(report->reboot_required);
  EXPECT_THAT(memory_.log, IsEmpty());
  EXPECT_EQ(Apply().writes, report->writes);
}

TEST_F(Session, TheSecondApplyWritesNothingAndStillNeedsTheReboot) {
  EXPECT_TRUE(Apply().reboot_required);
  memory_.log.clear();
  const SessionReport second = Apply();
  EXPECT_EQ(second.writes, 0U);
  EXPECT_TRUE(second.reboot_required);
  EXPECT_THAT(memory_.log, IsEmpty());
  memory_.Boot(MemoryMachine::Unflushed::kKept);
  EXPECT_FALSE(Apply().reboot_required);
}

TEST_F(Session, StatusTellsDriftAndOpenRuns) {
  EXPECT_FALSE(StatusOf(machine_)->open_transaction);
  EXPECT_TRUE(Apply(true).trial);
  auto status = StatusOf(machine_);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->open_transaction);
  EXPECT_TRUE(status->trial);
  EXPECT_EQ(PlanOn(machine_, Desired(), {})->findings.back().code, "open-transaction");
  Findings findings;
  ASSERT_EQ(Confirm(machine_, findings), true);
  memory_.Erase(kEnv, "HTTP_PROXY");
  status = StatusOf(machine_);
  EXPECT_FALSE(status->open_transaction);
  EXPECT_TRUE(status->reboot_required);
  ASSERT_EQ(status->drift.size(), 1U);
  EXPECT_EQ(status->drift[0].name, "HTTP_PROXY");
  EXPECT_EQ(status->ledger.size(), 3U + 2U + 2U + 2U + 3U);
}

}  // namespace
}  // namespace prov::reconcile
