#include "provisioner/fleet/state_reporter.h"

#include "provisioner/base/json_writer.h"
#include "tests/source/kube_helpers.h"

namespace prov::fleet {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kNode[] = "/api/v1/nodes/win-1";
constexpr char kEvents[] = "/api/v1/namespaces/default/events";

std::string OwnNode(const std::optional<NodeState>& state = {}) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("name", "win-1").Key("annotations").BeginObject();
  if (state) json.Member(kStateAnnotation, StateText(*state));
  return json.EndObject().EndObject().EndObject().Text();
}

class StateReports : public source::KubeTest {
 protected:
  StateReports() {
    cluster_.objects[kNode] = OwnNode();
    cluster_.objects[kEvents] = "{}";
    state_.digest = "a";
    state_.read_at = cluster_.now;
  }
  StateReporter Make() {
    return {"win-1", cluster_.Ports(), [this] { return source::KubeAccess::Open(Request(), "", source::Nowhere()); },
            [] { return 0U; }};
  }
  std::vector<std::string> Sent() {
    std::vector<std::string> out;
    for (const net::SendRequest& request : cluster_.sent)
      out.push_back(request.method + " " + source::FakeCluster::PathOf(request.to));
    return out;
  }

  NodeState state_;
};

TEST_F(StateReports, WhatIsNewAndNothingElse) {
  StateReporter reporter = Make();
  EXPECT_TRUE(reporter.Report(state_).value());
  ASSERT_THAT(cluster_.sent, SizeIs(1));
  EXPECT_EQ(cluster_.sent[0].body, AnnotationPatch(kStateAnnotation, StateText(state_)));
  const std::size_t asked = cluster_.asked.size();
  for (int round = 0; round < 50; ++round) {
    cluster_.now += 60;
    state_.read_at = cluster_.now;
    EXPECT_FALSE(reporter.Report(state_).value());
  }
  EXPECT_EQ(cluster_.asked.size(), asked) << "rounds without news ask nobody";
  state_.digest = "b";
  EXPECT_TRUE(reporter.Report(state_).value());
  EXPECT_THAT(Sent(), ::testing::ElementsAre(std::string("PATCH ") + kNode, std::string("PATCH ") + kNode,
                                             std::string("POST ") + kEvents));
}

TEST_F(StateReports, EachHourThatTheSourceIsRead) {
  StateReporter reporter = Make();
  EXPECT_TRUE(reporter.Report(state_).value());
  cluster_.now += StateReporter::kHeartbeatSeconds;
  EXPECT_FALSE(reporter.Report(state_).value()) << "it was not read again";
  state_.read_at = cluster_.now;
  EXPECT_TRUE(reporter.Report(state_).value());
  EXPECT_THAT(cluster_.sent, SizeIs(2));
}

TEST_F(StateReports, NothingTwiceWhenItStartsAnew) {
  state_.failure = NodeFailure{"network", std::string(2000, 'x')};
  cluster_.objects[kNode] = OwnNode(state_);
  StateReporter reporter = Make();
  EXPECT_FALSE(reporter.Report(state_).value());
  EXPECT_THAT(cluster_.sent, IsEmpty());
  state_.digest = "b";
  EXPECT_TRUE(reporter.Report(state_).value());
  EXPECT_THAT(cluster_.sent.back().body, HasSubstr("egress settings are b now (before: a)"));
}

TEST_F(StateReports, ADamagedAnnotationIsWrittenAnew) {
  JsonWriter json;
  json.BeginObject().Key("metadata").BeginObject().Member("name", "win-1").Key("annotations").BeginObject();
  json.Member(kStateAnnotation, "yes");
  cluster_.objects[kNode] = json.EndObject().EndObject().EndObject().Text();
  EXPECT_TRUE(Make().Report(state_).value());
}

TEST_F(StateReports, AFailureIsFollowedByAPauseThatGrows) {
  cluster_.objects.clear();
  StateReporter reporter = Make();
  EXPECT_EQ(reporter.Report(state_).error().code, Code::kNotFound);
  std::size_t asked = cluster_.asked.size();
  EXPECT_FALSE(reporter.Report(state_).value()) << "not yet";
  EXPECT_EQ(cluster_.asked.size(), asked);
  int tries = 0;
  const std::int64_t end = cluster_.now + 86400;
  for (; cluster_.now < end; cluster_.now += 60) tries += reporter.Report(state_) ? 0 : 1;
  EXPECT_LT(tries, 110) << "a day of half hours, with jitter, and the first few";
  EXPECT_GT(tries, 40);
  cluster_.objects[kNode] = OwnNode();
  cluster_.now += 1800;
  EXPECT_TRUE(reporter.Report(state_).value());
}

// The rights to write events may be missing for good.
TEST_F(StateReports, RefusedEventsDontDelayTheAnnotation) {
  StateReporter reporter = Make();
  EXPECT_TRUE(reporter.Report(state_).value());
  for (int change = 0; change < 4; ++change) {
    state_.digest = std::to_string(change);
    cluster_.script = {source::FakeCluster::Says(200, "{}"), source::FakeCluster::Says(403),
                       source::FakeCluster::Says(403)};
    const auto told = reporter.Report(state_);
    ASSERT_FALSE(told) << change;
    EXPECT_THAT(told.error().message, HasSubstr(R"(resources ["events"], verbs ["create"])"));
    EXPECT_EQ(cluster_.sent.at(cluster_.sent.size() - 3).body, AnnotationPatch(kStateAnnotation, StateText(state_)))
        << "at once";
  }
  cluster_.now += 3600;
  EXPECT_FALSE(reporter.Report(state_).value()) << "nothing is new";
}

// Each write goes to all who watch nodes.
TEST_F(StateReports, OtherWordsForOneFailureAreNotToldEachTime) {
  StateReporter reporter = Make();
  int written = 0;
  for (int round = 0; round < 60; ++round) {
    state_.failure = NodeFailure{"network", "no answer within " + std::to_string(round) + " s"};
    written += reporter.Report(state_).value() ? 1 : 0;
    cluster_.now += 60;
  }
  EXPECT_EQ(written, 6) << "an hour";
  state_.failure->code = "tls";
  EXPECT_TRUE(reporter.Report(state_).value()) << "another failure is told at once";
}

}  // namespace
}  // namespace prov::fleet
