// What a person does while settings wait for approval or are tried.
#include "tests/node/approval_fixture.h"

namespace prov::node {
namespace {

using testing_support::MemoryHost;

TEST_F(Approvals, ARollbackByAPersonHoldsWhateverIsApproved) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  RollBackByPerson();
  for (const Settings& settings : {OtherSettings(), SampleSettings()}) {
    cluster_.approval = Approving(settings, 2);
    cluster_.confirmed = SampleSettings().config;
    EXPECT_TRUE(Round().held);
    EXPECT_TRUE(HasSection(kHoldSection));
    EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  }
}

TEST_F(Approvals, ARollbackHoldsUntilOtherSettingsAreApproved) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  RollBackByPerson();
  const Settings third = ThirdSettings();
  source_ = Read(third);
  EXPECT_TRUE(Round().held) << "they wait";
  EXPECT_EQ(Record().pending, DigestOf(third));
  cluster_.approval = Approving(third);
  EXPECT_FALSE(Round().held);
  EXPECT_EQ(Variable("NO_PROXY"), "localhost");
}

TEST_F(Approvals, APersonMayConfirmOrTakeBackMeanwhile) {
  for (const bool confirms : {true, false}) {
    const MemoryHost start = host_;
    cluster_.approval = Approving(OtherSettings());
    cluster_.reach = Fail(Code::kNetwork, "no route", "https://api");
    cluster_.meanwhile = [&] {
      OpenNode n = node();
      EXPECT_TRUE(confirms ? ConfirmTrial(n) : Rollback(n));
    };
    Round();
    EXPECT_EQ(Variable("HTTP_PROXY"), confirms ? kNewProxy : kOldProxy);
    EXPECT_EQ(Record().trial->result, confirms ? ApprovedResult::kConfirmed : ApprovedResult::kTakenBack);
    EXPECT_EQ(Record().trial->reason, confirms ? "" : "a person took them back");
    EXPECT_EQ(Record().pending, confirms ? std::nullopt : std::optional(DigestOf(OtherSettings())));
    host_ = start;
  }
}

TEST_F(Approvals, ARollbackDuringTheTrialHoldsUntilTheSourceSaysSomethingElse) {
  cluster_.approval = Approving(OtherSettings());
  cluster_.meanwhile = [&] { RollBackByPerson(); };
  Round();
  cluster_.meanwhile = {};
  for (const std::int64_t attempt : {1, 1, 2, 3}) {
    cluster_.approval = Approving(OtherSettings(), attempt);
    EXPECT_TRUE(Round().held) << attempt;
    EXPECT_TRUE(HasSection(kHoldSection)) << attempt;
    EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy) << attempt;
    EXPECT_EQ(Record().trial->reason, "a person took them back") << attempt;
  }
  source_ = Read(ThirdSettings());
  EXPECT_FALSE(Round().held);
  source_ = Read(OtherSettings());
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy) << "attempt 3 is newer than what was taken back";
}

// Of settings that change nothing here, so that the rollback takes back what was before.
TEST_F(Approvals, ARollbackHoldsAgainstATrialThatChangesNothing) {
  const Settings same = SettingsThatChangeNothing();
  cluster_.approval = Approving(same);
  cluster_.meanwhile = [&] { RollBackByPerson(); };
  Round();
  cluster_.meanwhile = {};
  EXPECT_EQ(Record().trial->reason, "a person took them back");
  cluster_.approval = Approving(same, 2);
  EXPECT_TRUE(Round().held);
  EXPECT_EQ(Record().trial->attempt, 1);
}

// Whatever becomes of the approved settings, what a person tries is theirs to confirm.
TEST_F(Approvals, ATrialOfAPersonMeanwhileStaysTheirs) {
  for (const bool proves : {true, false}) {
    for (const Settings& theirs : {ThirdSettings(), OtherSettings()}) {
      const MemoryHost start = host_;
      cluster_.approval = Approving(OtherSettings());
      cluster_.reach = proves ? Result<void>() : Fail(Code::kNetwork, "no route", "https://api");
      cluster_.meanwhile = [&] {
        OpenNode n = node();
        ASSERT_TRUE(TrySettings(n, theirs, {}, 120));
      };
      Round();
      cluster_.meanwhile = {};
      const auto open = LoadTrial(host_.memory.State()).value();
      ASSERT_TRUE(open) << "it is open";
      EXPECT_EQ(open->applied.digest, Derive(theirs)->digest);
      EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
      EXPECT_EQ(AppliedDigest(), DigestOf(SampleSettings())) << "nobody confirmed anything";
      EXPECT_EQ(Record().trial->result, ApprovedResult::kUndecided);
      EXPECT_TRUE(Round().held);
      OpenNode n = node();
      EXPECT_TRUE(ConfirmTrial(n));
      EXPECT_EQ(Record().trial->result, ApprovedResult::kUndecided) << "the confirmed trial is another";
      host_ = start;
    }
  }
}

TEST_F(Approvals, SettingsThatAPersonAppliesMeanwhileStay) {
  Settings same = SampleSettings(2);  // changes nothing
  same.config.certificates.clear();
  same.config.trust_file = {};
  for (const Settings& approved : {OtherSettings(), same}) {
    const MemoryHost start = host_;
    source_ = Read(approved);
    cluster_.approval = Approving(approved);
    cluster_.meanwhile = [&] {
      OpenNode n = node();
      ASSERT_TRUE(ApplySettings(n, ThirdSettings(), {}));
    };
    Round();
    EXPECT_EQ(Variable("NO_PROXY"), "localhost");
    EXPECT_EQ(Record().trial->result, ApprovedResult::kUndecided);
    cluster_.meanwhile = {};
    host_ = start;
  }
}

}  // namespace
}  // namespace prov::node
