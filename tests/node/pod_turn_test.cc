#include "provisioner/node/pod_turn.h"

#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/service_loop.h"
#include "tests/node/node_helpers.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::IsEmpty;

class Pod : public NodeTest {
 protected:
  void InstallServiceOf(std::string_view version, bool follow = true) {
    host_.own_version = version;
    OpenNode n = node();
    Findings findings;
    const DerivedSettings derived = Derive(SampleSettings()).value();
    Must(InstallService(n, &derived, {SpecOf("payload"), follow, {}}, findings));
  }
  testing_support::MemoryHost::Service& Service() { return host_.services_by_name.at("provisioner"); }
  std::optional<SettingsSpec> Stored() {
    const auto stored = LoadSource(host_.memory.State());
    return stored && *stored ? std::optional((*stored)->spec) : std::nullopt;
  }
  const SettingsSpec spec_ = {.source = {.source = "kube:///worker", .kubeconfig = R"(C:\k\config)"}};
  UpgradePause pause_;
};

TEST_F(Pod, FollowsItsSourceWhereThereIsNoService) {
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kPod);
  EXPECT_EQ(Stored(), spec_);
  host_.memory.log.clear();
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kPod);
  EXPECT_THAT(host_.memory.log, IsEmpty()) << "the same source is stored once";
  EXPECT_EQ(TakeTurn(host_, SpecOf("kube:///other"), pause_), Turn::kPod);
  EXPECT_EQ(Stored(), SpecOf("kube:///other")) << "another DaemonSet";
  EXPECT_THAT(host_.services_by_name, IsEmpty()) << "it installs no service";
}

TEST_F(Pod, StandsAsideWhereTheServiceRuns) {
  InstallServiceOf("0.1.0");
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService);
  EXPECT_EQ(Stored(), SpecOf("payload"));
  Service().process_id = 0;
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kPod) << "nobody else makes rounds";
  EXPECT_EQ(Stored(), SpecOf("payload")) << "but with the service's source";
}

TEST_F(Pod, AServiceThatWasDeliveredItsSettingsFollowsNothing) {
  InstallServiceOf("0.1.0", false);
  host_.memory.log.clear();
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kNone);
  EXPECT_EQ(Stored(), SpecOf("payload")) << "the service would not read what only a pod can";
  EXPECT_THAT(host_.memory.log, IsEmpty());
  host_.own_version = "0.2.0";
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kNone);
  EXPECT_EQ(Service().version, "0.2.0") << "it is upgraded all the same";
  host_.services_by_name.clear();
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kPod);
  EXPECT_EQ(Stored(), spec_);
}

TEST_F(Pod, TheNewerProgramIsInstalled) {
  InstallServiceOf("0.1.0");
  host_.own_version = "0.2.0";
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService);
  EXPECT_EQ(host_.installed_version, "0.2.0");
  EXPECT_EQ(Service().version, "0.2.0");
  host_.own_version = "0.1.5";
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService);
  EXPECT_EQ(host_.installed_version, "0.2.0") << "an older pod leaves it alone";
}

// Each try stops the service that works, so a program that does not start must not be tried with each round.
TEST_F(Pod, AnUpgradeThatFailsIsTriedAgainAfterAPause) {
  InstallServiceOf("0.1.0");
  host_.own_version = "0.2.0";
  host_.broken_versions = {"0.2.0"};
  const auto failed = TakeTurn(host_, spec_, pause_);
  ASSERT_FALSE(failed);
  EXPECT_EQ(Service().version, "0.1.0") << "the former program is back";
  const std::uint32_t process = Service().process_id;
  for (int round = 0; round < 50; ++round) {
    host_.now += 60;
    EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService);
  }
  EXPECT_EQ(Service().process_id, process) << "the service was left alone for an hour";
  host_.now += UpgradePause::kFirst;
  EXPECT_FALSE(TakeTurn(host_, spec_, pause_));
  host_.now += UpgradePause::kFirst;
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService) << "the next pause is longer";
  host_.broken_versions.clear();
  host_.now += UpgradePause::kFirst;
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService);
  EXPECT_EQ(Service().version, "0.2.0");
}

TEST_F(Pod, ALockIsNoFailedUpgrade) {
  InstallServiceOf("0.1.0");
  host_.own_version = "0.2.0";
  host_.locked = true;
  EXPECT_EQ(TakeTurn(host_, spec_, pause_).error().code, Code::kLock);
  host_.locked = false;
  EXPECT_EQ(TakeTurn(host_, spec_, pause_), Turn::kService);
  EXPECT_EQ(Service().version, "0.2.0") << "with the next round";
}

TEST_F(Pod, WhoeverHoldsTheLockIsNotDisturbed) {
  host_.locked = true;
  EXPECT_EQ(ErrorIn(TakeTurn(host_, spec_, pause_)).code, Code::kLock);
}

TEST_F(Pod, ALoopThatStandsAsideMakesNoRound) {
  InstallServiceOf("0.1.0");
  int read = 0;
  int ended = 0;
  host_.waits_left = 3;
  Loop(host_, [&](const SettingsSpec&) -> Result<Settings> { return ++read, SampleSettings(); },
       {.interval_seconds = 60,
        .should_skip = [&] { return TakeTurn(host_, spec_, pause_) == Turn::kService; },
        .after_round = [&] { ++ended; }});
  EXPECT_EQ(read, 0);
  EXPECT_EQ(ended, 4) << "who makes the rounds is no matter of telling";
}

TEST_F(Pod, WarnsOnceADayWhereTheServiceFollowsNothing) {
  InstallServiceOf("0.1.0", false);
  host_.events_written.clear();
  std::vector<std::string> codes;
  const LoopOptions rounds = PodRounds(
      host_, spec_, {.on_report = [&](const RoundReport& report) { codes = Codes(report.run.findings); }}, false);
  EXPECT_TRUE(rounds.varies) << "a fleet's pods start together";
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(codes, testing::ElementsAre("stored-source"));
  codes.clear();
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(codes, IsEmpty()) << "not with each round";
  const auto warning = testing::Pair(testing::_, testing::HasSubstr("neither follows the pod's source"));
  EXPECT_THAT(host_.events_written, testing::Contains(warning).Times(1));
  host_.now += 86400;
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(codes, testing::ElementsAre("stored-source"));
}

TEST_F(Pod, WarnsOnceADayWhereTheServiceTakesSettingsWithoutTheApprovalThatThePodIsToWaitFor) {
  InstallServiceOf("0.1.0");
  std::vector<std::string> codes;
  const LoopOptions loop{.on_report = [&](const RoundReport& report) { codes = Codes(report.run.findings); }};
  EXPECT_TRUE(PodRounds(host_, spec_, loop, false).should_skip());
  EXPECT_THAT(codes, IsEmpty());
  const LoopOptions rounds = PodRounds(host_, spec_, loop, true);
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(codes, testing::ElementsAre("approval-service"));
  codes.clear();
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(codes, IsEmpty()) << "not with each round";
  ServiceRecord record = LoadService(host_.memory.State()).value().value();
  record.reporting.cluster = ClusterNode{"win-1", R"(C:\k\config)", true};
  record.reporting.approval = true;
  ASSERT_TRUE(Remember(host_.memory.State(), kServiceSection, ServiceJson(record)));
  host_.now += 86400;
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(codes, IsEmpty()) << "it waits, too";
}

TEST_F(Pod, ReportsOnceWhatKeepsATurnFromBeingTaken) {
  host_.source_error = Error{Code::kOwner, "Users may change it", "config"};
  std::vector<Code> failures;
  const LoopOptions rounds =
      PodRounds(host_, spec_, {.on_failure = [&](const Error& error) { failures.push_back(error.code); }}, false);
  EXPECT_TRUE(rounds.should_skip()) << "a source that users can write is not followed";
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_THAT(failures, testing::ElementsAre(Code::kOwner));
  host_.locked = true;
  EXPECT_TRUE(rounds.should_skip());
  EXPECT_EQ(failures.size(), 1U) << "a lock passes";
  host_.locked = false;
  host_.source_error.reset();
  EXPECT_FALSE(rounds.should_skip());
}

}  // namespace
}  // namespace prov::node
