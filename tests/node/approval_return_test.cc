// Nodes that return to the former settings, which a rollout that failed approves again.
#include "tests/node/approval_fixture.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// What a rollout with --on-failure rollback does: the source still has the new settings.
TEST_F(Approvals, TheFormerSettingsMayBeApprovedAgain) {
  // Confirmed settings are those of the fleet, so the node's own choices are those of its stored source.
  SettingsSpec spec = SpecOf("payload");
  spec.choices.services = SampleSettings().options.services;
  ASSERT_TRUE(SaveSource(host_.memory.State(), {spec}));
  const std::string before = Content();
  cluster_.approval = Approving(OtherSettings());
  Round();
  ASSERT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  cluster_.approval = Approving(SampleSettings());
  EXPECT_EQ(Round().run.writes, 0U) << "nobody says what they are";
  cluster_.confirmed = OtherSettings().config;
  EXPECT_EQ(Round().run.writes, 0U) << "they are others";
  cluster_.confirmed = SampleSettings().config;
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-confirmed"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_EQ(Content(), before) << "all of the machine, not this variable alone";
  EXPECT_EQ(Record().trial->digest, DigestOf(SampleSettings()));
  const int reads = cluster_.confirmed_reads;
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-pending"));
  EXPECT_EQ(Record().pending, DigestOf(OtherSettings()));
  EXPECT_EQ(cluster_.confirmed_reads, reads);
}

// They were proven once, and what proves the new ones may be what has failed.
TEST_F(Approvals, AReturnIsProvenWithTheApiServerAlone) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  ASSERT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  Approval former = Approving(SampleSettings());
  former.images = {"registry.example.com/private:1"};
  cluster_.approval = former;
  cluster_.confirmed = SampleSettings().config;
  host_.answer = 503;
  host_.requests.clear();
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-confirmed"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_THAT(host_.requests, IsEmpty());
}

TEST_F(Approvals, AReturnIsTriedInEachRoundUntilTheApiServerAnswers) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  const std::string confirmed = Content();
  cluster_.approval = Approving(SampleSettings());
  cluster_.confirmed = SampleSettings().config;
  cluster_.reach = Fail(Code::kNetwork, "no route", "https://api");
  const RoundReport first = Round();
  EXPECT_THAT(Codes(first.run.findings), Contains("approval-return"));
  ASSERT_TRUE(first.source_error);
  EXPECT_THAT(first.source_error->message,
              HasSubstr("can't be tried now: with them the API server does not answer: no"));
  EXPECT_EQ(first.run.writes, 0U) << "nothing is tried";
  EXPECT_EQ(Content(), confirmed);
  // It answers when it is asked first, and not on trial.
  int asked = 0;
  cluster_.reach = {};
  cluster_.meanwhile = [&] {
    if (++asked == 2) cluster_.reach = Fail(Code::kNetwork, "no route", "https://api");
  };
  Round();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(Content(), confirmed);
  EXPECT_EQ(Record().trial->result, ApprovedResult::kUndecided);
  cluster_.meanwhile = {};
  cluster_.reach = {};
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_EQ(Record().trial->result, ApprovedResult::kConfirmed);
}

TEST_F(Approvals, AReturnNeedsNoSource) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  cluster_.approval = Approving(SampleSettings());
  cluster_.confirmed = SampleSettings().config;
  source_ = Fail(Code::kNetwork, "no route", "payload");
  EXPECT_TRUE(Round().source_error) << "which is still said";
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_EQ(AppliedDigest(), DigestOf(SampleSettings()));
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
}

TEST_F(Approvals, AReturnGoesBeforeThirdSettingsThatWait) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  source_ = Read(ThirdSettings());
  Round();
  cluster_.approval = Approving(SampleSettings());
  cluster_.confirmed = SampleSettings().config;
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_EQ(Record().trial->digest, DigestOf(SampleSettings()));
  EXPECT_EQ(Record().pending, DigestOf(ThirdSettings()));
}

TEST_F(Approvals, AReturnThatAPersonRolledBackIsNotTriedAgain) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  cluster_.confirmed = SampleSettings().config;
  cluster_.meanwhile = [&] {
    OpenNode n = node();
    if (!LoadTrial(n.machine.state).value()) return;  // it is asked before anything is tried, too
    EXPECT_TRUE(Rollback(n));
  };
  for (const std::int64_t attempt : {1, 1, 2}) {
    cluster_.approval = Approving(SampleSettings(), attempt);
    Round();
    EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy) << attempt;
    cluster_.meanwhile = {};
  }
  EXPECT_EQ(Record().trial->reason, "a person took them back");
}

// As long as the last answer was an approval, that rollout goes on, be it held for days.
TEST_F(Approvals, ADayAfterTheyWereConfirmedTheClusterIsAskedWhileItHasAnApproval) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  Round();
  EXPECT_EQ(cluster_.reads, 2);
  host_.now += 3 * 86400;
  Round();
  EXPECT_EQ(cluster_.reads, 3);
  cluster_.approval = std::nullopt;
  Round();
  Round();
  EXPECT_EQ(cluster_.reads, 4) << "it has nothing more to say";
  cluster_.approval = Approving(SampleSettings());
  cluster_.confirmed = SampleSettings().config;
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

TEST_F(Approvals, WithinADayTheClusterIsAskedInAnyCase) {
  cluster_.approval = Approving(OtherSettings());
  Round();
  cluster_.approval = std::nullopt;
  Round();
  cluster_.approval = Approving(SampleSettings());
  cluster_.confirmed = SampleSettings().config;
  Round();
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
}

}  // namespace
}  // namespace prov::node
