#include "provisioner/reconcile/observe.h"

#include <gmock/gmock.h>

#include "tests/reconcile/engine_helpers.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::MemoryMachine;

class Observe : public ::testing::Test {
 protected:
  Observe() { PutWindows(memory_); }

  RunReport Apply(bool trial = false) { return ApplyOn(machine_, Desired(), {}, trial).value(); }

  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
};

TEST_F(Observe, APlanOnlyReads) {
  const auto report = Must(PlanOn(machine_, Desired(), {}));
  EXPECT_GT(report.writes, 0U);
  EXPECT_TRUE(report.reboot_required);
  EXPECT_THAT(memory_.log, IsEmpty());
  EXPECT_EQ(Apply().writes, report.writes);
}

TEST_F(Observe, StatusTellsDriftAndOpenRuns) {
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

TEST(Drift, NoneRightAfterARun) {
  MemoryMachine machine;
  PutWindows(machine);
  EXPECT_THAT(DriftOf(machine), IsEmpty());
  MustApply(machine, Desired());
  EXPECT_THAT(DriftOf(machine), IsEmpty());
}

TEST(Drift, OfEveryKind) {
  MemoryMachine machine;
  PutWindows(machine);
  MustApply(machine, Desired());
  machine.Put(kEnv, Sz("HTTP_PROXY", "http://other:1"));
  machine.Put(kEnv, Sz("NO_PROXY", "example.com,localhost,10.0.0.0/16,.svc"));  // the same set
  machine.Erase(kEnv, "HTTPS_PROXY");
  machine.Erase(kConnections, "WinHttpSettings");
  machine.Put(kContainerd, ServiceList({"HTTP_PROXY=http://other:1"}));
  machine.content().certificates[pki::Store::kCa].clear();
  EXPECT_THAT(DriftOf(machine),
              ElementsAre("certificate CA 734B5852D40BDC0AD7E1AB2DACBA4FC9BA34854C missing", "env HTTPS_PROXY missing",
                          "env HTTP_PROXY changed", "serviceEnv containerd changed", "winHttp 64-bit missing"));
}

TEST(Drift, AnItemOfANewerVersionIsNamed) {
  MemoryMachine memory;
  machine::Machine machine = memory.Ports();
  const Error drift = ErrorIn(FindDrift(machine, {{"teleport:X", {std::nullopt, Sz("a", "b"), {}}}}));
  EXPECT_EQ(drift.where, "teleport:X");
}

}  // namespace
}  // namespace prov::reconcile
