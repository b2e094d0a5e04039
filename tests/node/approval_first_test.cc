// Nodes without a record, or without settings, in a fleet whose new settings wait for approval.
#include "tests/node/approval_fixture.h"

namespace prov::node {
namespace {

using testing::Contains;
using testing::Not;
using testing_support::MemoryHost;

// What a damaged disk leaves: no record, and settings in place.
class LostRecord : public Approvals {
 protected:
  LostRecord() {
    Round();
    for (const std::string_view file : {machine::kStateFile, machine::kStatePreviousFile})
      EXPECT_TRUE(host_.memory.State().folder().Write(file, ""));
    OpenNode n = node();
    EXPECT_TRUE(BeginRun(n));
    // As a pod stores it before its next round.
    EXPECT_TRUE(SaveSource(n.machine.state, {SpecOf("payload")}));
  }
};

TEST_F(LostRecord, IsNoFirstBootSoTheSourceWaits) {
  const std::string before = Content();
  for (const bool answers : {true, false}) {
    if (!answers) cluster_.confirmed = Fail(Code::kNetwork, "no route", "https://api");
    const RoundReport round = Round();
    EXPECT_THAT(Codes(round.run.findings), Contains(answers ? "approval-pending" : "approval-unread"));
    EXPECT_EQ(Content(), before);
    EXPECT_EQ(Record().pending, DigestOf(OtherSettings()));
  }
  cluster_.confirmed = std::nullopt;
  source_ = Fail(Code::kNetwork, "no route", "payload");
  (void)RunRound(host_, Reader(), &cluster_);
  EXPECT_EQ(Content(), before);
  source_ = Read(OtherSettings());
  cluster_.approval = Approving(OtherSettings());
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-confirmed"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

TEST_F(LostRecord, IsMadeAgainOfWhatTheFleetHasConfirmed) {
  cluster_.confirmed = SampleSettings().config;
  Round();
  EXPECT_EQ(AppliedDigest(), DigestOf(SampleSettings()));
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_THAT(Codes(Round().run.findings), Contains("approval-pending"));
}

TEST_F(Approvals, AfterARemovalTheSourceWaits) {
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  ASSERT_TRUE(SaveSource(n.machine.state, {SpecOf("payload")}));
  Round();
  EXPECT_FALSE(Variable("HTTP_PROXY"));
  EXPECT_EQ(Record().pending, DigestOf(OtherSettings()));
}

class FirstSettings : public RoundTest {
 protected:
  FirstSettings() {
    source_ = Read(OtherSettings());
    EXPECT_TRUE(SaveSource(host_.memory.State(), {SpecOf("kube:///worker")}));
  }
  std::vector<std::string> Round() {
    const auto round = RunRound(host_, Reader(), &cluster_);
    EXPECT_TRUE(round) << round.error().message;
    return round && *round ? Codes((**round).run.findings) : std::vector<std::string>();
  }
  FakeCluster cluster_;
};

TEST_F(FirstSettings, AreTheSourcesWithoutApproval) {
  EXPECT_THAT(Round(), Not(Contains("approval-first")));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
  EXPECT_EQ(cluster_.reads, 0);
  EXPECT_TRUE(HasSection(kApprovalSection));
}

TEST_F(FirstSettings, AreTheConfirmedOnesWhileOthersAreOnTrial) {
  cluster_.confirmed = SampleSettings().config;
  EXPECT_THAT(Round(), Contains("approval-first"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_THAT(Round(), Contains("approval-pending")) << "the source's wait from now on";
  EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
  EXPECT_EQ(cluster_.confirmed_reads, 1);
  cluster_.approval = Approving(OtherSettings());
  EXPECT_THAT(Round(), Contains("approval-confirmed"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

// Confirmed settings lack the certificates that no node imports.
TEST_F(FirstSettings, AreTheSourcesWhereARolloutHasConfirmedThem) {
  cluster_.confirmed = SampleSettings().config;
  cluster_.confirmed_digest = egress::SettingsDigest(OtherSettings().config);
  EXPECT_THAT(Round(), Not(Contains("approval-first")));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

TEST_F(FirstSettings, AreNotHeldUpByAClusterThatCantBeAsked) {
  cluster_.confirmed = Fail(Code::kNetwork, "no route", "https://api");
  EXPECT_THAT(Round(), Contains("approval-first"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

TEST_F(FirstSettings, AreTheSourcesWhereTheConfirmedOnesCantBeSet) {
  egress::EgressConfig bad = SampleSettings().config;
  bad.http_proxy = Secret("http://proxy:notaport");
  cluster_.confirmed = bad;
  EXPECT_THAT(Round(), Contains("approval-first"));
  EXPECT_EQ(Variable("HTTP_PROXY"), kNewProxy);
}

// Of the command, which applies a source before there are rounds.
TEST_F(FirstSettings, OfAFirstBootAreTheConfirmedOnesToo) {
  host_.web = [](const net::FetchRequest&) -> Result<net::FetchAnswer> {
    net::FetchAnswer out;
    out.status = 200;
    out.body = "HTTP_PROXY=http://other.example.com:8080\nHTTPS_PROXY=http://other.example.com:8080\n";
    return out;
  };
  BootRequest request;
  request.given = SpecOf("https://h.example.com/proxy.env");
  request.given.source.ca_file = testing_support::TestsFolder() + "/sample/corporate-root.pem";
  request.delivery.spec = request.given;
  for (const bool asks : {true, false}) {
    const MemoryHost start = host_;
    ASSERT_TRUE(Forget(host_.memory.State(), kSourceSection));
    cluster_.confirmed = SampleSettings().config;
    request.approver = asks ? &cluster_ : nullptr;
    OpenNode n = node();
    const auto report = BootFromSource(n, request);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(Variable("HTTP_PROXY"), asks ? kOldProxy : kNewProxy);
    host_ = start;
  }
}

}  // namespace
}  // namespace prov::node
