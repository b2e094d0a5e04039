// Rounds that wait for the approval of new settings, and the trial of what is approved.
#include "tests/node/approval_fixture.h"
#include "tests/pull/fake_registries.h"
#include "tests/support/memory_machine.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_support::MemoryMachine;
using testing_support::Unflushed;

TEST_F(Approvals, WithNothingNewTheClusterIsNotAsked) {
  source_ = Read(SampleSettings());
  Round();
  EXPECT_EQ(cluster_.reads, 0);
  EXPECT_EQ(Record(), ApprovalRecord());
}

TEST_F(Approvals, NewSettingsWaitAndTheOldOnesAreKeptInPlace) {
  const std::string before = Content();
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  const RoundReport round = Round();
  EXPECT_EQ(cluster_.reads, 1);
  EXPECT_THAT(Codes(round.run.findings), Contains("approval-pending"));
  EXPECT_FALSE(round.source_error);
  EXPECT_EQ(round.run.writes, 1U) << "drift is repaired";
  EXPECT_EQ(Content(), before);
  ExpectOld();
  EXPECT_EQ(Record(), (ApprovalRecord{.pending = DigestOf(OtherSettings()), .trial = {}}));
  EXPECT_EQ(Round().run.writes, 0U);
}

TEST_F(Approvals, TheSourceThatReturnsToTheOldSettingsEndsTheWait) {
  Round();
  source_ = Read(SampleSettings());
  Round();
  EXPECT_EQ(Record(), ApprovalRecord());
}

TEST_F(Approvals, AnApprovalOfOtherSettingsApprovesNothing) {
  cluster_.approval = Approving(SampleSettings());
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-pending"));
  EXPECT_EQ(cluster_.reached, 0);
  ExpectOld();
}

TEST_F(Approvals, ApprovedSettingsAreTriedAndConfirmed) {
  cluster_.approval = Approving(OtherSettings());
  cluster_.meanwhile = [&] {
    EXPECT_TRUE(host_.Open(machine::Access::kWrite)) << "the machine is closed";
    EXPECT_EQ(Record().trial->result, ApprovedResult::kRunning);
    EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  };
  const RoundReport round = Round();
  EXPECT_THAT(Codes(round.run.findings), Contains("approval-confirmed"));
  EXPECT_GT(round.run.writes, 0U);
  EXPECT_FALSE(round.run.trial);
  EXPECT_EQ(cluster_.reached, 1);
  ASSERT_THAT(host_.requests, SizeIs(1));
  EXPECT_THAT(host_.requests[0], HasSubstr("https://a.example/ via http://other.example.com:8080"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  EXPECT_EQ(AppliedDigest(), DigestOf(OtherSettings()));
  EXPECT_EQ(Record(), (ApprovalRecord{.pending = {},
                                      .trial = ApprovedTrial{DigestOf(OtherSettings()), ApprovedResult::kConfirmed}}));
  // They are the last good ones from now on.
  source_ = Fail(Code::kNetwork, "no route", "payload");
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  EXPECT_EQ(Round().run.writes, 1U);
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

TEST_F(Approvals, WhatFailsOfTheProofTakesThemBack) {
  const struct {
    std::function<void()> fail;
    std::string reason;
  } rows[] = {
      {[&] { host_.answer = 503; }, "503"},
      {[&] { host_.answer = Fail(Code::kNetwork, "the proxy does not answer", "https://a.example/"); },
       "the proxy does not answer"},
      {[&] { cluster_.reach = Fail(Code::kTls, "signed by an unknown CA", "https://api.example.test:6443"); },
       "the API server does not answer: signed by an unknown CA"},
      // The host has no network for documents.
      {[&] { cluster_.approval->value().images = {"registry.example.com/app:1"}; },
       "the image registry.example.com/app:1 does not arrive"},
      {[&] { cluster_.meanwhile = [&] { host_.now += 121; }; }, "120 seconds of the trial were over"},
  };
  const std::string before = Content();
  const testing_support::MemoryHost start = host_;
  for (const auto& [fail, reason] : rows) {
    SCOPED_TRACE(reason);
    host_ = start;
    cluster_ = {};
    cluster_.approval = Approving(OtherSettings());
    fail();
    const RoundReport round = Round();
    EXPECT_THAT(Codes(round.run.findings), Contains("approval-taken-back"));
    EXPECT_EQ(round.run.writes, 0U);
    EXPECT_FALSE(round.run.reboot_required);
    ExpectTakenBack(before, reason);
    if (!cluster_.reach) {
      EXPECT_THAT(host_.requests, IsEmpty()) << "nothing else is tried then";
    }
  }
}

TEST_F(Approvals, AnImageIsAskedForAsTheNewSettingsSay) {
  pull::FakeRegistries web;
  const auto image = pull::SampleImage::PutAt(web, "https://r.example.org/v2/org/app");
  host_.web = [&](const net::FetchRequest& request) { return web.Fetch(request); };
  Approval approval = Approving(OtherSettings());
  approval.images = {"r.example.org/org/app:v1"};
  cluster_.approval = approval;
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-confirmed"));
  ASSERT_THAT(web.asked, Not(IsEmpty()));
  for (const auto& one : web.asked) {
    EXPECT_TRUE(one.proxied) << one.url;
    EXPECT_EQ(one.roots, OtherSettings().config.certificates.size()) << one.url;
  }
  EXPECT_THAT(web.Urls(), Contains(HasSubstr(image.layer)));
}

TEST_F(Approvals, SettingsThatAGuardRefusesAreTakenBackAtOnce) {
  const std::string before = Content();
  Settings bad = Read(OtherSettings());
  bad.config.http_proxy = bad.config.https_proxy = Secret("http://proxy:notaport");
  bad.source_digest = egress::SettingsDigest(bad.config);
  source_ = bad;
  cluster_.approval = Approving(bad);
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-taken-back"));
  EXPECT_EQ(Content(), before);
  EXPECT_EQ(Record().trial->result, ApprovedResult::kTakenBack);
  ExpectOld();
}

TEST_F(Approvals, WhatWasTakenBackWaitsForANewerApproval) {
  cluster_.approval = Approving(OtherSettings());
  host_.answer = 503;
  Round();
  host_.answer = 200;
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  const RoundReport waits = Round();
  EXPECT_THAT(Codes(waits.run.findings), Contains("approval-pending"));
  EXPECT_EQ(waits.run.writes, 1U) << "the old ones are repaired meanwhile";
  EXPECT_FALSE(waits.held);
  EXPECT_EQ(cluster_.reached, 1);
  ExpectOld();
  cluster_.approval = Approving(OtherSettings(), 2);
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  EXPECT_EQ(Record().trial->attempt, 2);
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed);
}

TEST_F(Approvals, OtherSettingsAreTriedAfterATakeBack) {
  cluster_.approval = Approving(OtherSettings());
  host_.answer = 503;
  Round();
  host_.answer = 200;
  const Settings third = ThirdSettings();
  source_ = Read(third);
  cluster_.approval = Approving(third);
  Round();
  EXPECT_EQ(Variable("NO_PROXY"), "localhost");
  EXPECT_EQ(Record().trial->digest, DigestOf(third));
}

TEST_F(Approvals, AClusterThatCantBeAskedIsLikeASourceThatCant) {
  cluster_.approval = Fail(Code::kType, "is not between 10 and 3600", "Node win-1");
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  const RoundReport round = Round();
  ASSERT_TRUE(round.source_error);
  EXPECT_EQ(round.source_error->code, Code::kType);
  EXPECT_THAT(Codes(round.run.findings), Contains("approval-unread"));
  EXPECT_TRUE(Variable("NO_PROXY"));
  ExpectOld();
}

// A password is no part of the digest, and neither is what the node chooses.
TEST_F(Approvals, OtherOptionsOfTheSameSettingsNeedNoApproval) {
  Settings same = Read(SampleSettings(2));
  same.options.services = {"containerd", "kubelet"};
  same.config.http_proxy = same.config.https_proxy = Secret("http://user:c4nary2@proxy.example.com:3128");
  source_ = same;
  Round();
  EXPECT_EQ(cluster_.reads, 0);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://user:c4nary2@proxy.example.com:3128");
}

TEST_F(Approvals, SettingsThatChangeNothingHereAreProvenAllTheSame) {
  const Settings same = SettingsThatChangeNothing();
  const std::string first = AppliedDigest();
  cluster_.approval = Approving(same);
  host_.answer = 503;
  Round();
  EXPECT_EQ(Record().trial->result, ApprovedResult::kTakenBack);
  EXPECT_EQ(AppliedDigest(), first);
  host_.answer = 200;
  cluster_.approval = Approving(same, 2);
  Round();
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed);
  EXPECT_EQ(AppliedDigest(), DigestOf(same));
}
TEST_F(Approvals, TheLogHasTheTrialAndItsEndOnce) {
  const auto count = [&](std::string_view text) {
    return std::ranges::count_if(host_.events_written,
                                 [&](const auto& event) { return event.second.find(text) != std::string::npos; });
  };
  cluster_.approval = Approving(OtherSettings());
  host_.answer = 503;
  host_.events_written.clear();
  LogRound(host_, Round());
  EXPECT_EQ(count("[approval-taken-back]"), 1);
  host_.answer = 200;
  cluster_.approval = Approving(OtherSettings(), 2);
  host_.events_written.clear();
  LogRound(host_, Round());
  const auto applied = std::ranges::count_if(host_.events_written, [](const auto& event) {
    return event.first == static_cast<std::uint16_t>(machine::Event::kApplied) && !event.second.starts_with('[');
  });
  EXPECT_EQ(applied, 2) << "as of a trial and its confirmation by a person";
  for (const auto& [id, text] : host_.events_written) EXPECT_THAT(text, Not(HasSubstr("c4nary")));
}

// The process ended while the settings were proven.
TEST_F(Approvals, ATrialThatNobodyProvesIsTakenBackAtOnceAndTriedOnceMore) {
  const std::string before = Content();
  {
    OpenNode n = node();
    ASSERT_TRUE(Begin(n, OtherSettings()));
  }
  Round();
  ExpectOld();
  EXPECT_EQ(Content(), before);
  EXPECT_EQ(Record().trial->result, ApprovedResult::kUndecided);
  EXPECT_THAT(Record().trial->reason, HasSubstr("cut short:"));
  EXPECT_EQ(Record().pending, DigestOf(OtherSettings()));
  cluster_.approval = Approving(OtherSettings());
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed);
}

TEST_F(Approvals, WhatWasCutShortTwiceIsTakenBack) {
  const std::string before = Content();
  for (int cut = 0; cut < 2; ++cut) {
    OpenNode n = node();
    ASSERT_TRUE(Begin(n, OtherSettings()));
    host_.memory.Boot(Unflushed::kKept);
    Round();
  }
  ExpectTakenBack(before, "cut short twice");
  cluster_.approval = Approving(OtherSettings());
  Round();
  ExpectTakenBack(before, "cut short twice");
  cluster_.approval = Approving(OtherSettings(), 2);
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

TEST_F(Approvals, WhatWasNotedAndNeverTriedIsTried) {
  ApprovalRecord record{DigestOf(OtherSettings()), ApprovedTrial{DigestOf(OtherSettings())}};
  ASSERT_TRUE(Remember(host_.memory.State(), kApprovalSection, ApprovalJson(record)));
  cluster_.approval = Approving(OtherSettings());
  Round();
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed);
}

// A pod may be proving them.
TEST_F(Approvals, ARoundOfAPersonLeavesTheTrialAloneWhileItMayBeProven) {
  const std::string before = Content();
  {
    OpenNode n = node();
    ASSERT_TRUE(Begin(n, OtherSettings()));
  }
  const auto by_hand = [&] { return RunRound(host_, Reader(), &cluster_, RoundBy::kPerson).value().value(); };
  const RoundReport held = by_hand();
  EXPECT_TRUE(held.held);
  EXPECT_THAT(Codes(held.run.findings), Contains("trial-open"));
  EXPECT_EQ(Record().trial->result, ApprovedResult::kRunning);
  host_.now -= 86400;  // the clock is set back
  EXPECT_FALSE(by_hand().held);
  ExpectOld();
  EXPECT_EQ(Content(), before);
}

TEST_F(Approvals, AClockThatIsSetBackIsNoVerdict) {
  cluster_.approval = Approving(OtherSettings());
  cluster_.meanwhile = [&] { host_.now -= 86400; };
  Round();
  ExpectOld();
  EXPECT_EQ(Record().trial->result, ApprovedResult::kUndecided);
  cluster_.meanwhile = [&] { host_.now -= 5; };
  Round();
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed) << "clocks are adjusted by some seconds";
}

// Another command has the machine open when they are proven.
TEST_F(Approvals, TimeThatRunsOutWhileTheMachineIsBusySaysSo) {
  const std::string before = Content();
  cluster_.approval = Approving(OtherSettings());
  cluster_.meanwhile = [&] { host_.locked = true; };
  host_.waits_left = 100;
  host_.during_wait = [&] {
    host_.now += 130;
    host_.locked = false;
  };
  Round();
  ExpectTakenBack(before, "120 seconds of the trial were over before they could be confirmed");
}

TEST_F(Approvals, ProbesHaveTheTimeOfTheTrial) {
  Approval approval = Approving(OtherSettings());
  approval.trial_seconds = 600;
  approval.probes = {"https://a.example/", "https://b.example/"};
  cluster_.approval = approval;
  host_.waits_left = 100;
  host_.first_answers = {503, 200};
  host_.during_wait = [&] { host_.now += 200; };
  Round();
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed) << Record().trial->reason;
}

TEST_F(Approvals, AnInstalledSourceThatWasNeverAppliedWaitsToo) {
  OpenNode n = node();
  const DerivedSettings other = Derive(Read(OtherSettings())).value();
  Findings findings;
  ASSERT_TRUE(InstallService(n, &other, {SpecOf("payload"), true, {}}, findings));
  source_ = Fail(Code::kNetwork, "no route", "payload");
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  source_ = Read(OtherSettings());
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-pending"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
}

// Of a pod's node, whose record does not say which cluster to ask.
TEST_F(Approvals, ARoundOfAPersonWithoutTheClusterWaitsToo) {
  for (int rounds = 0; rounds < 2; ++rounds) {
    const auto round = RunRound(host_, Reader(), nullptr, RoundBy::kPerson).value().value();
    EXPECT_THAT(Codes(round.run.findings), Contains("approval-pending"));
    ExpectOld();
    EXPECT_EQ(Record().pending, DigestOf(OtherSettings()));
  }
  host_.memory.Erase(reconcile::kEnv, "NO_PROXY");
  EXPECT_EQ(RunRound(host_, Reader(), nullptr, RoundBy::kPerson)->value().run.writes, 1U) << "but it repairs";
}

TEST_F(Approvals, WithoutApprovalNewSettingsAreAppliedAndTheRecordGoes) {
  Round();
  ASSERT_TRUE(HasSection(kApprovalSection));
  ASSERT_TRUE(RunRound(host_, Reader()));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  EXPECT_FALSE(HasSection(kApprovalSection));
}

TEST_F(Approvals, ARemovalForgetsThem) {
  Round();
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(HasSection(kApprovalSection));
}
TEST(ApprovalRecord, ComesBackAsItWasWritten) {
  MemoryMachine memory;
  EXPECT_EQ(LoadApproval(memory.State()).value(), std::nullopt);
  for (const ApprovalRecord& record :
       {ApprovalRecord(), ApprovalRecord{"aa", {}},
        ApprovalRecord{{}, ApprovedTrial{"bb", ApprovedResult::kRunning, "", 3}},
        ApprovalRecord{"cc", ApprovedTrial{"cc", ApprovedResult::kTakenBack, "the proxy is dead"}},
        ApprovalRecord{"dd", ApprovedTrial{"dd", ApprovedResult::kUndecided, "", 2, true, false}},
        ApprovalRecord{"ee", ApprovedTrial{"ee", ApprovedResult::kTakenBack, "", 2, false, true}}}) {
    ASSERT_TRUE(Remember(memory.State(), kApprovalSection, ApprovalJson(record)));
    EXPECT_EQ(LoadApproval(memory.State()).value(), record);
  }
}

}  // namespace
}  // namespace prov::node
