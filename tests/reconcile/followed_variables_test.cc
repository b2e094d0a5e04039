// A node beside the operator's daemon: when the cluster changes its proxy, the daemon changes the machine variables,
// and the services' environments of ours follow.
#include "provisioner/reconcile/followed_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/reconcile/items.h"
#include "tests/reconcile/engine_helpers.h"

namespace prov::reconcile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::MemoryMachine;
using Entries = std::vector<std::string>;

constexpr std::int64_t kMinute = 60;

const Entries kSettings = {"HTTP_PROXY=http://user:c4nary%40@proxy.example.com:3128",
                           "HTTPS_PROXY=http://user:c4nary%40@proxy.example.com:3128",
                           "NO_PROXY=.svc,10.0.0.0/16,localhost,example.com"};
const Entries kClusters = {"HTTP_PROXY=http://cluster:1", "HTTPS_PROXY=http://cluster:2",
                           "NO_PROXY=.svc,.cluster.local"};

class Beside : public ::testing::Test {
 protected:
  Beside() { PutWindows(memory_); }

  void PutDaemon() { memory_.PutKey(kDaemonKey); }
  void RemoveDaemon() { memory_.content().keys.erase(AsciiLower(kDaemonKey)); }
  void Set(const Entries& entries) {
    Unset();
    for (const std::string& entry : entries) {
      const std::size_t equals = entry.find('=');
      memory_.Put(kEnv, Sz(entry.substr(0, equals), entry.substr(equals + 1)));
    }
  }
  void Unset() {
    for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}) memory_.Erase(kEnv, name);
  }

  // What a round of the boot service does.
  Plan Round() {
    now_ += kMinute;
    const bool yields = YieldsEnvironment(machine_, false).value();
    Plan plan = MustApply(memory_, desired_, {.yield_environment = yields});
    EXPECT_TRUE(RememberWmco(machine_, false, now_));
    return plan;
  }
  Entries Containerd() { return ServiceEntries(memory_.At(kContainerd, "Environment")).value_or(Entries{"?"}); }

  MemoryMachine memory_;
  machine::Machine machine_ = memory_.Ports();
  DesiredState desired_ = Desired();
  std::int64_t now_ = 1'800'000'000;
};

TEST_F(Beside, ServicesGetTheSettingsBeforeTheDaemonHasSetAnything) {
  Round();
  EXPECT_EQ(Containerd(), kSettings);
  PutDaemon();
  Unset();  // `wicd cleanup`, and a cluster without a proxy
  for (int round = 0; round < 20; ++round) Round();
  EXPECT_EQ(Containerd(), kSettings);
}

TEST_F(Beside, ServicesFollowEachChangeOfTheClusters) {
  Round();
  PutDaemon();
  for (const char* proxy : {"http://one:1", "http://two:2", "http://three:3"}) {
    Set({std::string("HTTP_PROXY=") + proxy, std::string("HTTPS_PROXY=") + proxy, "NO_PROXY=.svc"});
    const Plan plan = Round();
    EXPECT_THAT(Containerd(),
                ElementsAre(std::string("HTTP_PROXY=") + proxy, std::string("HTTPS_PROXY=") + proxy, "NO_PROXY=.svc"));
    EXPECT_FALSE(plan.reboot) << "the operator sees to that";
    memory_.log.clear();
    EXPECT_THAT(Round().operations, IsEmpty());
    EXPECT_THAT(memory_.log, IsEmpty());
  }
}

TEST_F(Beside, WithoutMachineVariablesInScopeTheyAreFollowedAsWell) {
  desired_.scope.machine = false;
  desired_.environment.clear();
  PutDaemon();
  Round();
  EXPECT_EQ(Containerd(), kSettings) << "the first start of containerd";
  Set(kClusters);
  Round();
  EXPECT_EQ(Containerd(), kClusters);
}

TEST_F(Beside, ANameThatTheDaemonLeavesOutIsNotTakenFromTheSettings) {
  PutDaemon();
  Set({"HTTPS_PROXY=http://cluster:2", "NO_PROXY="});
  Round();
  EXPECT_THAT(Containerd(), ElementsAre("HTTPS_PROXY=http://cluster:2"));
}

TEST_F(Beside, WhatOthersHaveInTheListStays) {
  memory_.Put(kContainerd, {"Environment", images::RegType::kMultiSz, images::EncodeMultiSz({"FOREIGN=1"})});
  PutDaemon();
  Set(kClusters);
  Round();
  EXPECT_THAT(Containerd(), ElementsAre("FOREIGN=1", kClusters[0], kClusters[1], kClusters[2]));
  Unset();
  Round();
  EXPECT_THAT(Containerd(), ElementsAre("FOREIGN=1"));
}

TEST_F(Beside, AProxyThatTheClusterGivesUpGoesAndComesBack) {
  PutDaemon();
  Set(kClusters);
  Round();
  Unset();
  const Plan gone = Round();
  EXPECT_FALSE(memory_.At(kContainerd, "Environment"));
  EXPECT_THAT(ChangesOf(gone), Contains("delete serviceEnv containerd"));
  EXPECT_THAT(Round().operations, IsEmpty());
  Set(kClusters);
  Round();
  EXPECT_EQ(Containerd(), kClusters);
}

// The payload was baked from the cluster's own settings: nothing tells the daemon's values from ours but the time.
TEST_F(Beside, AProxyThatEqualsTheSettingsIsGivenUpOnceTheDaemonHasWantedIt) {
  Round();
  PutDaemon();
  for (int minute = 0; minute < 12; ++minute) Round();
  Unset();
  Round();
  EXPECT_FALSE(memory_.At(kContainerd, "Environment"));
}

TEST_F(Beside, WhatTheDaemonRemovesAtOnceItNeverWanted) {
  Round();
  PutDaemon();
  Round();
  Unset();
  Round();
  EXPECT_EQ(Containerd(), kSettings);
}

// The operator deletes the daemon's service and the variables, and makes both again.
TEST_F(Beside, AnUpgradeOfTheOperatorTakesNothingAway) {
  PutDaemon();
  Set(kClusters);
  Round();
  RemoveDaemon();
  Unset();
  EXPECT_THAT(Round().operations, IsEmpty());
  EXPECT_EQ(Containerd(), kClusters);
  memory_.content().keys.erase(AsciiLower(kContainerd));  // its services, too
  Round();
  memory_.Put(kContainerd, Sz("ImagePath", "containerd.exe"));
  Round();
  EXPECT_EQ(Containerd(), kClusters) << "the first start of the new one";
  PutDaemon();
  Set(kClusters);
  EXPECT_THAT(Round().operations, IsEmpty());
}

TEST_F(Beside, AValueThatLetsClientsGoDirectIsNotFollowed) {
  PutDaemon();
  Set({"HTTP_PROXY=http://u:p%zz@cluster:1", "HTTPS_PROXY=http://cluster:2", "NO_PROXY=.svc"});
  const Plan plan = Round();
  EXPECT_THAT(Containerd(), ElementsAre(kSettings[0], "HTTPS_PROXY=http://cluster:2", "NO_PROXY=.svc"));
  ASSERT_EQ(plan.findings.size(), 1U);
  EXPECT_EQ(std::string_view(plan.findings[0].code), "operator-value");
  EXPECT_EQ(plan.findings[0].where, "HTTP_PROXY");
  EXPECT_THAT(plan.findings[0].message, testing::Not(HasSubstr("zz")));
}

TEST_F(Beside, CredentialsOfTheClusterGoWhereTheSettingsAllowThem) {
  PutDaemon();
  Set({"HTTP_PROXY=http://user:s3cret@cluster:1"});
  Round();
  EXPECT_THAT(Containerd(), ElementsAre("HTTP_PROXY=http://user:s3cret@cluster:1"));
  DesiredOptions options;
  options.services = {"containerd"};
  options.credentials = CredentialPolicy::kNone;
  desired_ = MakeDesiredState(testing_support::SampleConfig(), options).value();
  Round();
  EXPECT_THAT(Containerd(), ElementsAre("HTTP_PROXY=http://cluster:1"));
}

// The key of a service is closed to users while it holds credentials.
TEST_F(Beside, AKeyIsClosedForTheCredentialsOfTheCluster) {
  PutDaemon();
  Set({"HTTP_PROXY=http://user:s3cret@cluster:1"});
  Round();
  EXPECT_NE(machine_.registry.Security(kContainerd).value(), "");
  const std::string closed = machine_.registry.Security(kContainerd).value();
  Set({"HTTP_PROXY=http://cluster:1"});
  Round();
  EXPECT_NE(machine_.registry.Security(kContainerd).value(), closed);
}

TEST_F(Beside, RemovalTakesBackWhatWasFollowed) {
  memory_.Put(kContainerd, {"Environment", images::RegType::kMultiSz, images::EncodeMultiSz({"HTTP_PROXY=before"})});
  PutDaemon();
  Set(kClusters);
  Round();
  desired_ = NothingDesired();
  Round();
  EXPECT_THAT(Containerd(), ElementsAre("HTTP_PROXY=before"));
}

TEST_F(Beside, WhoseTheVariablesAre) {
  const auto owners = [&] {
    Entries out;
    const Ledger ledger = LoadLedger(machine_.state).value();
    const auto variables = ReadMachineVariables(machine_, ledger).value();
    for (const MachineVariable& variable : variables) {
      out.push_back(variable.name + " " + std::string(NameOf(variable.owner)) + " " + variable.value);
    }
    return out;
  };
  EXPECT_THAT(owners(), IsEmpty());
  memory_.Put(kEnv, Sz("NO_PROXY", "localhost"));
  EXPECT_THAT(owners(), ElementsAre("NO_PROXY others localhost"));
  Round();
  EXPECT_THAT(owners(), Contains("HTTP_PROXY provisioner http://user:***@proxy.example.com:3128"));
  PutDaemon();
  Set({"HTTP_PROXY=http://user:s3cret@cluster:1"});
  EXPECT_THAT(owners(), ElementsAre("HTTP_PROXY operator http://user:***@cluster:1"));
}

}  // namespace
}  // namespace prov::reconcile
