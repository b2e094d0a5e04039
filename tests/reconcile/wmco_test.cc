// Coexistence with the Windows Machine Config Operator: which variables it owns, and for how long that is remembered.
#include "provisioner/reconcile/wmco.h"

#include <gmock/gmock.h>

#include "provisioner/reconcile/observe.h"
#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::MemoryMachine;

constexpr std::int64_t kNow = 1'800'000'000;

class Wmco : public ::testing::Test {
 protected:
  Wmco() { PutWindows(memory_); }

  void RemoveDaemon() {
    memory_.content().keys.erase(AsciiLower(kDaemonKey));
    memory_.MakeDurable();
  }
  // What a run does with it; the plan comes before the memory.
  Plan Run(bool explicit_run = false) {
    const bool yields = YieldsEnvironment(machine_, explicit_run).value();
    EXPECT_TRUE(RememberWmco(machine_, explicit_run, kNow));
    return MustApply(memory_, Desired(), {.adopt = false, .yield_environment = yields});
  }

  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
};

TEST_F(Wmco, IsSeenByItsService) {
  EXPECT_EQ(SeesWmcoDaemon(machine_.registry), false);
  memory_.PutKey(R"(SYSTEM\CurrentControlSet\Services\Windows-Instance-Config-Daemon)");
  EXPECT_EQ(SeesWmcoDaemon(machine_.registry), true);
}

TEST_F(Wmco, AskingWritesNothing) {
  memory_.PutKey(kDaemonKey);
  EXPECT_EQ(YieldsEnvironment(machine_, false), true);
  EXPECT_EQ(YieldsEnvironment(machine_, true), true);
  EXPECT_THAT(memory_.log, IsEmpty());
}

TEST_F(Wmco, IsRememberedOnceWhileItsServiceIsAway) {
  memory_.PutKey(kDaemonKey);
  ASSERT_TRUE(RememberWmco(machine_, false, kNow));
  ASSERT_TRUE(RememberWmco(machine_, false, kNow));
  EXPECT_THAT(memory_.log, ElementsAre("Write state.json", "Write state.previous.json"));
  RemoveDaemon();
  EXPECT_EQ(YieldsEnvironment(machine_, false), true);
  ASSERT_TRUE(RememberWmco(machine_, false, kNow));
  EXPECT_THAT(memory_.log, SizeIs(2));
}

TEST_F(Wmco, AnExplicitRunThatFindsNoneForgetsIt) {
  memory_.PutKey(kDaemonKey);
  ASSERT_TRUE(RememberWmco(machine_, true, kNow));
  RemoveDaemon();
  EXPECT_EQ(YieldsEnvironment(machine_, true), false);
  ASSERT_TRUE(RememberWmco(machine_, true, kNow));
  EXPECT_EQ(YieldsEnvironment(machine_, false), false);
  EXPECT_FALSE(memory_.Section(kWmcoSection));
  memory_.log.clear();
  ASSERT_TRUE(RememberWmco(machine_, true, kNow));
  EXPECT_THAT(memory_.log, IsEmpty());
}

TEST_F(Wmco, TheMemoryOfTheMachineThatThisOneWasClonedFromDoesNotCount) {
  memory_.PutKey(kDaemonKey);
  ASSERT_TRUE(RememberWmco(machine_, false, kNow));
  RemoveDaemon();
  EXPECT_EQ(YieldsEnvironment(machine_, false), true);
  memory_.set_machine_id("another");
  EXPECT_EQ(YieldsEnvironment(machine_, false), false);
}

TEST_F(Wmco, WhatItChangesOrRemovesIsLeftToItAlsoWhileItIsAway) {
  Run();
  memory_.PutKey(kDaemonKey);
  Run();
  RemoveDaemon();  // as its operator does at an upgrade
  memory_.Put(kEnv, Sz("HTTP_PROXY", "http://cluster:1"));
  memory_.Erase(kEnv, "NO_PROXY");
  const Plan plan = Run();
  EXPECT_THAT(ChangesOf(plan), ElementsAre("yield env HTTP_PROXY", "yield env NO_PROXY", "update serviceEnv containerd",
                                           "update serviceEnv kubelet"));
  EXPECT_EQ(TextAt(memory_, kEnv, "HTTP_PROXY"), "http://cluster:1");
  EXPECT_FALSE(memory_.At(kEnv, "NO_PROXY"));
  EXPECT_FALSE(plan.reboot);
  memory_.log.clear();
  EXPECT_THAT(Run().operations, IsEmpty());
  EXPECT_THAT(memory_.log, IsEmpty());
}

TEST_F(Wmco, APersonsRunWithoutTheDaemonSetsTheVariablesAgain) {
  memory_.PutKey(kDaemonKey);
  Run();
  RemoveDaemon();
  memory_.Erase(kEnv, "HTTP_PROXY");
  EXPECT_THAT(ChangesOf(Run(true)), Contains("create env HTTP_PROXY"));
}

TEST_F(Wmco, WhatItChangesIsNoDrift) {
  Run();
  memory_.PutKey(kDaemonKey);
  memory_.Put(kEnv, Sz("HTTP_PROXY", "http://cluster:1"));
  memory_.Erase(kContainerd, "Environment");
  const auto status = StatusOf(machine_);
  ASSERT_TRUE(status);
  ASSERT_THAT(status->drift, SizeIs(1));
  EXPECT_EQ(status->drift[0].name, "containerd");
  ASSERT_THAT(status->yielded, SizeIs(1));
  EXPECT_EQ(status->yielded[0].name, "HTTP_PROXY");
}

// Its daemon stops and starts a service again when command line, description or dependencies differ from its own.
TEST_F(Wmco, OfServicesOnlyTheirEnvironmentIsEverWritten) {
  const std::string services = R"(SYSTEM\CurrentControlSet\Services)";
  for (const char* name : {"containerd", "kubelet", "windows-instance-config-daemon"}) {
    const std::string key = services + "\\" + name;
    memory_.Put(key, Sz("ImagePath", "x.exe"));
    memory_.Put(key, Sz("Description", "OpenShift managed x"));
    memory_.Put(key, {"DependOnService", images::RegType::kMultiSz, images::EncodeMultiSz({"y"})});
  }
  memory_.log.clear();
  DesiredState desired = Desired(testing_support::SampleConfig(),
                                 {"containerd", "kubelet", "windows-instance-config-daemon", "kube-proxy"});
  desired.scope.win_inet = true;
  desired.win_inet = desired.win_http;
  MustApply(memory_, desired);
  Findings findings;
  ASSERT_EQ(Rollback(machine_, findings), true);
  MustApply(memory_, desired);
  MustApply(memory_, NothingDesired());
  std::size_t seen = 0;
  for (const std::string& call : memory_.log) {
    if (call.find(R"(\Services)") == std::string::npos) continue;
    EXPECT_TRUE(call.ends_with(R"(\Environment)") || call.starts_with("SetSecurity ")) << call;
    seen += call.starts_with("SetSecurity ") ? 0U : 1U;
  }
  EXPECT_EQ(seen, 4U * 3U);
  EXPECT_FALSE(memory_.content().keys.contains(AsciiLower(services + R"(\kube-proxy)")));
}

}  // namespace
}  // namespace prov::reconcile
