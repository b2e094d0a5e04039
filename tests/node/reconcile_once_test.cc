#include "provisioner/node/reconcile_once.h"

#include "provisioner/node/first_boot.h"
#include "provisioner/node/records.h"
#include "provisioner/node/service_loop.h"
#include "tests/node/node_helpers.h"
#include "tests/support/memory_machine.h"
#include "tests/support/memory_network.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using machine::Event;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_support::Unflushed;

class Reconcile : public RoundTest {
 protected:
  Result<RoundReport> Round() {
    auto round = PROV_TRY(RunRound(host_, Reader()));
    if (!round) return Fail(Code::kInternal, "nobody asked for a stop");
    return *std::move(round);
  }
};

TEST_F(Reconcile, WithoutAStoredSourceNothingIsDone) {
  EXPECT_EQ(ErrorIn(Round()).code, Code::kNotFound);
  EXPECT_THAT(host_.memory.log, IsEmpty());
}

TEST_F(Reconcile, FirstBootAppliesInstallsAndRemembers) {
  FirstBootFrom(SampleSettings());
  EXPECT_EQ(Variable("HTTPS_PROXY"), "http://user:c4nary%40@proxy.example.com:3128");
  EXPECT_TRUE(host_.program_installed);
  const auto& service = host_.services_by_name.at("provisioner");
  EXPECT_EQ(service.definition.command_line, R"("C:\Program Files\Provisioner\provisioner.exe" reconcile --service)");
  EXPECT_NE(service.process_id, 0U);
  EXPECT_TRUE(
      host_.memory.At(R"(SYSTEM\CurrentControlSet\Services\EventLog\Application\Provisioner)", "EventMessageFile"));
  host_.memory.log.clear();
  const auto round = Must(Round());
  EXPECT_EQ(round.run.writes, 0U);
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_THAT(asked_, SizeIs(1));
  EXPECT_EQ(asked_.front().source.source, "payload");
}

TEST_F(Reconcile, EachRoundGivesNewPodsTheirPolicy) {
  testing_support::MemoryNetwork network;
  network.endpoints["E1"] = {};
  host_.memory.network = &network;
  Settings settings = SampleSettings();
  Findings findings;
  settings.options.scope.hns = true;
  settings.options.hns =
      reconcile::MakePodPolicies(R"({"Type":"L4WFPPROXY","Settings":{"Port":"8000","UserSID":"S-1-5-18"}})", "all",
                                 "policy.json", findings)
          .value();
  FirstBootFrom(settings);
  EXPECT_THAT(network.PoliciesOf("E1"), HasSubstr("8000"));
  network.endpoints["E2"] = {};
  EXPECT_EQ(Round()->run.writes, 1U);
  EXPECT_THAT(network.PoliciesOf("E2"), HasSubstr("8000"));
  EXPECT_EQ(Round()->run.writes, 0U);
  source_ = Fail(Code::kNotFound, "the source is gone", "payload");
  network.endpoints["E2"] = {};
  EXPECT_EQ(Round()->run.writes, 1U) << "what was kept of it holds";
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_EQ(network.PoliciesOf("E1"), "");
}

TEST_F(Reconcile, DuringSetupTheServiceWaitsForTheNextBoot) {
  host_.memory.Put(R"(SYSTEM\Setup)", {"SystemSetupInProgress", images::RegType::kDword, std::string("\1\0\0\0", 4)});
  FirstBootFrom(SampleSettings());
  EXPECT_EQ(host_.services_by_name.at("provisioner").process_id, 0U);
}

TEST_F(Reconcile, AServiceThatCantBeInstalledDoesNotKeepTheSettingsAway) {
  host_.install_error = Error{Code::kIo, "the disk is full", "provisioner.exe"};
  OpenNode n = node();
  EXPECT_EQ(ErrorIn(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {})).code, Code::kIo);
  EXPECT_TRUE(Variable("HTTP_PROXY"));
}

TEST_F(Reconcile, ARefusedSourceLeavesNoTrace) {
  Settings bad = SampleSettings();
  bad.config.http_proxy = Secret("http://proxy:notaport");
  OpenNode n = node();
  EXPECT_EQ(FirstBoot(n, bad, {SpecOf("payload"), true, {}}, {}).error().code, Code::kFailOpen);
  EXPECT_THAT(host_.memory.log, IsEmpty());
  EXPECT_THAT(host_.services_by_name, IsEmpty());
}

// What a payload baked before the first boot is ours, even if the first boot was cut short after any call.
TEST_F(Reconcile, ACutFirstBootIsFinishedByTheService) {
  const auto bake = [](testing_support::MemoryHost& host) {
    reconcile::PutWindows(host.memory);
    host.memory.Put(reconcile::kEnv, reconcile::Sz("NO_PROXY", ".svc,10.0.0.0/16,localhost,example.com"));
    host.memory.MakeDurable();
  };
  std::size_t calls = 0;
  {
    testing_support::MemoryHost host;
    bake(host);
    OpenNode n = NodeOn(host);
    ASSERT_TRUE(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}));
    calls = host.memory.calls;
  }
  ASSERT_GT(calls, 50U);
  for (std::size_t stop = 0; stop < calls; ++stop) {
    testing_support::MemoryHost host;
    bake(host);
    OpenNode n = NodeOn(host);
    host.memory.stop_after = stop;
    EXPECT_THROW((void)FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}),
                 testing_support::PowerFailure);
    host.memory.stop_after = testing_support::MemoryMachine::kNever;
    host.memory.Boot(Unflushed::kLost);
    const auto round = RunRound(host, [](const SettingsSpec&) -> Result<Settings> { return SampleSettings(); });
    if (!round) {  // nothing was stored yet, so nothing was touched
      EXPECT_EQ(round.error().code, Code::kNotFound) << stop << ": " << round.error().message;
      EXPECT_FALSE(host.memory.At(reconcile::kEnv, "HTTP_PROXY")) << stop;
      continue;
    }
    EXPECT_TRUE(host.memory.At(reconcile::kEnv, "HTTP_PROXY")) << stop;
    ASSERT_TRUE(RemoveSettings(n)) << stop;
    EXPECT_FALSE(host.memory.At(reconcile::kEnv, "NO_PROXY")) << stop << ": baked, so ours, so removed";
  }
}

TEST_F(Reconcile, AChangedSourceIsApplied) {
  FirstBootFrom(SampleSettings());
  source_ = OtherSettings();
  host_.memory.Boot(Unflushed::kKept);
  const auto round = Must(Round());
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
  EXPECT_TRUE(round.run.reboot_required);
  EXPECT_EQ((*LoadApplied(host_.memory.State()))->generation, 2);
}

TEST_F(Reconcile, AMissingSourceChangesNothingAndTellsTheAge) {
  FirstBootFrom(SampleSettings());
  source_ = Fail(Code::kNotFound, "there is no such file", "payload");
  host_.now += 2 * 86400 + 3 * 3600;
  host_.memory.log.clear();
  auto round = Must(Round());
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json")) << "what status shows, once";
  ASSERT_TRUE(round.source_error);
  EXPECT_EQ(round.source_error->code, Code::kNotFound);
  ASSERT_THAT(Codes(round.run.findings), Contains("source-unavailable"));
  EXPECT_THAT(round.run.findings.front().message, HasSubstr("2 d 3 h"));
  // What others broke meanwhile is still repaired.
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  ASSERT_TRUE(Round());
  EXPECT_TRUE(Variable("HTTP_PROXY"));
}

TEST_F(Reconcile, ASourceThatOthersCanWriteIsNotFollowed) {
  host_.source_error = Error{Code::kOwner, "Users may change it", "payload"};
  OpenNode n = node();
  EXPECT_EQ(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}).error().code, Code::kOwner);
  EXPECT_THAT(host_.memory.log, IsEmpty());
  host_.source_error = std::nullopt;
  FirstBootFrom(SampleSettings());
  host_.source_error = Error{Code::kOwner, "Users may change it", "payload"};
  source_ = OtherSettings();
  const auto round = Must(Round());
  EXPECT_EQ(round.source_error->code, Code::kOwner);
  EXPECT_EQ(round.run.writes, 0U);
  EXPECT_THAT(asked_, IsEmpty()) << "it is not even read";
}

TEST_F(Reconcile, ASourceThatWasNeverReadableIsItsOwnError) {
  ASSERT_TRUE(SaveSource(host_.memory.State(), {SpecOf("payload")}));
  source_ = Fail(Code::kManifest, "was changed after it was baked", "payload");
  EXPECT_EQ(Round().error().code, Code::kManifest);
}

TEST_F(Reconcile, AnExplicitlyEmptySourceRemovesWhatIsOurs) {
  const auto before = host_.memory.content();
  FirstBootFrom(SampleSettings());
  Settings empty = SampleSettings(2);
  empty.config.http_proxy = empty.config.https_proxy = std::nullopt;
  empty.config.no_proxy = std::nullopt;
  empty.config.certificates.clear();
  source_ = empty;
  ASSERT_TRUE(Round());
  EXPECT_EQ(Variable("HTTP_PROXY"), std::nullopt);
  EXPECT_EQ(host_.memory.content().certificates, before.certificates);
}

TEST_F(Reconcile, ADeliveredPayloadIsNotReadAgain) {
  FirstBootFrom(SampleSettings(), false);
  source_ = Fail(Code::kNotFound, "scrubbed", "payload");
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  const auto round = Must(Round());
  EXPECT_FALSE(round.source_error);
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_TRUE(Variable("NO_PROXY"));
}

TEST_F(Reconcile, ARollbackHoldsUntilTheSourceChanges) {
  FirstBootFrom(SampleSettings());
  source_ = OtherSettings();
  ASSERT_TRUE(Round());
  OpenNode n = node();
  ASSERT_TRUE(Rollback(n));
  const auto held = Round();
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->held);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://user:c4nary%40@proxy.example.com:3128");
  Settings third = OtherSettings(3);
  third.config.no_proxy = "localhost";
  source_ = third;
  EXPECT_FALSE(Round()->held);
  EXPECT_EQ(Variable("NO_PROXY"), "localhost");
}

TEST_F(Reconcile, AnOpenTrialIsLeftAloneAndAnExpiredOneTakenBackForGood) {
  FirstBootFrom(SampleSettings());
  OpenNode n = node();
  ASSERT_TRUE(TrySettings(n, OtherSettings(), {}, 60));
  source_ = OtherSettings();  // the source says the same as what is tried
  EXPECT_TRUE(Round()->held);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
  host_.now += 61;
  const auto round = Must(Round());
  EXPECT_TRUE(round.held) << "nobody confirmed it, so it is not applied by itself";
  EXPECT_THAT(Codes(round.run.findings), Contains("recovered"));
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://user:c4nary%40@proxy.example.com:3128");
}

TEST_F(Reconcile, TheSameChangeAtEachBootIsGivenUpAfterThree) {
  FirstBootFrom(SampleSettings());
  for (int boot = 1; boot <= 3; ++boot) {
    host_.memory.Boot(Unflushed::kKept);
    host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
    const auto round = Round();
    ASSERT_TRUE(round) << boot << ": " << round.error().message;
    EXPECT_TRUE(Variable("HTTP_PROXY")) << boot;
    ASSERT_TRUE(Round()) << "more rounds of the same boot don't count";
  }
  host_.memory.Boot(Unflushed::kKept);
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  host_.memory.log.clear();
  EXPECT_EQ(ErrorIn(Round()).code, Code::kRebootLoop);
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json"));
  // A person's apply starts over.
  OpenNode n = node();
  ASSERT_TRUE(ApplySettings(n, SampleSettings(), {}));
  EXPECT_TRUE(Variable("HTTP_PROXY"));
}

TEST_F(Reconcile, ABootWithoutNeedEndsTheCount) {
  FirstBootFrom(SampleSettings());
  for (int i = 0; i < 5; ++i) {
    host_.memory.Boot(Unflushed::kKept);
    host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
    ASSERT_TRUE(Round()) << i;
    host_.memory.Boot(Unflushed::kKept);
    ASSERT_TRUE(Round()) << i;
  }
}

TEST_F(Reconcile, SecretFilesGoWhenSetupIsOver) {
  host_.memory.Put(R"(SYSTEM\Setup)", {"SystemSetupInProgress", images::RegType::kDword, std::string("\1\0\0\0", 4)});
  OpenNode n = node();
  ASSERT_TRUE(FirstBoot(n, SampleSettings(), {SpecOf("payload"), false, {R"(C:\x\egress.json)"}}, {}));
  EXPECT_THAT(host_.removed_files, IsEmpty());
  host_.memory.Put(R"(SYSTEM\Setup)", {"SystemSetupInProgress", images::RegType::kDword, std::string("\0\0\0\0", 4)});
  ASSERT_TRUE(Round());
  EXPECT_THAT(host_.removed_files, ElementsAre(R"(C:\x\egress.json)"));
  ASSERT_TRUE(Round());
  EXPECT_EQ(host_.removed_files.size(), 1U);
}

TEST_F(Reconcile, TheLoopTellsNewsOnceAndGoesOnAfterErrors) {
  FirstBootFrom(SampleSettings());
  host_.events_written.clear();
  host_.waits_left = 6;
  int round = 0;
  host_.during_wait = [&] {
    ++round;
    if (round == 2) source_ = Fail(Code::kNotFound, "gone", "payload");
    if (round == 4) source_ = OtherSettings();
  };
  std::vector<std::size_t> writes;
  Loop(host_, Reader(),
       {.interval_seconds = 60, .on_report = [&](const RoundReport& report) { writes.push_back(report.run.writes); }});
  EXPECT_EQ(asked_.size(), 7U);
  ASSERT_EQ(writes.size(), 3U) << "first, source gone, changed";
  EXPECT_GT(writes[2], 0U);
  EXPECT_EQ(host_.EventIds().front(), static_cast<std::uint16_t>(Event::kServiceStarted));
  EXPECT_EQ(host_.EventIds().back(), static_cast<std::uint16_t>(Event::kServiceStopped));
  const auto told_of_source = [](const auto& event) { return event.second.starts_with("[source-unavailable]"); };
  EXPECT_EQ(std::ranges::count_if(host_.events_written, told_of_source), 1);
  for (const auto& [id, text] : host_.events_written) EXPECT_THAT(text, Not(HasSubstr("c4nary")));
}

TEST_F(Reconcile, WhatAGuardRefusesIsLikeASourceThatIsGone) {
  FirstBootFrom(SampleSettings());
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  source_ = OtherSettings();
  source_->config.http_proxy = Secret("proxy.example.com:port");  // with which clients would go direct
  const auto round = Must(Round());
  ASSERT_TRUE(round.source_error);
  EXPECT_EQ(round.source_error->code, Code::kFailOpen);
  EXPECT_THAT(Codes(round.run.findings), Contains("source-unavailable"));
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://user:c4nary%40@proxy.example.com:3128") << "what was there is kept";
}

TEST_F(Reconcile, AServerThatIsNotThereYetIsAskedByTheService) {
  source_ = Fail(Code::kNetwork, "no route", "mcs://h/worker");
  OpenNode n = node();
  const Delivery delivery{SpecOf("mcs://h/worker"), true, {}};
  const auto later = Must(FollowLater(n, delivery));
  EXPECT_TRUE(later);
  EXPECT_TRUE(host_.program_installed);
  EXPECT_TRUE(host_.services_by_name.contains("provisioner"));
  EXPECT_EQ(Round().error().code, Code::kNetwork);
  source_ = SampleSettings();
  ASSERT_TRUE(Round());
  EXPECT_TRUE(Variable("HTTP_PROXY"));
  const auto stored = LoadSource(n.machine.state);
  ASSERT_TRUE(stored && *stored);
  EXPECT_EQ(**stored, (StoredSource{SpecOf("mcs://h/worker"), true, false})) << "adopted, and remembered";
}

TEST_F(Reconcile, ASourceThatWasReadWellIsNotGivenUpForOneThatWasNot) {
  FirstBootFrom(SampleSettings());
  OpenNode n = node();
  const auto later = Must(FollowLater(n, {SpecOf("mcs://h/worker"), true, {}}));
  EXPECT_FALSE(later);
  EXPECT_EQ((*LoadSource(n.machine.state))->spec, SpecOf("payload"));
}

TEST_F(Reconcile, AFailedFirstBootIsForgottenWhenItIsMadeGood) {
  FirstBootFrom(SampleSettings());
  OpenNode n = node();
  ASSERT_TRUE(SaveFailure(n.machine.state, {Code::kNetwork, "no route", "mcs://h/worker"}));
  ASSERT_TRUE(Round());
  EXPECT_FALSE(HasSection(kFailureSection));
}

TEST_F(Reconcile, ABusyMachineIsTriedAgainSoon) {
  FirstBootFrom(SampleSettings());
  host_.locked = true;
  host_.waits_left = 3;
  const std::int64_t before = host_.now;
  host_.during_wait = [&] { host_.locked = host_.now - before < 9; };
  int rounds = 0;
  Loop(host_, Reader(), {.interval_seconds = 60, .on_report = [&](const RoundReport&) { ++rounds; }});
  EXPECT_EQ(rounds, 1);
}

TEST(Age, IsReadable) {
  EXPECT_EQ(DescribeAge(-5), "0 min");
  EXPECT_EQ(DescribeAge(3599), "59 min");
  EXPECT_EQ(DescribeAge(3660), "1 h 1 min");
  EXPECT_EQ(DescribeAge(90000), "1 d 1 h");
}

}  // namespace
}  // namespace prov::node
