#include "provisioner/fleet/node_event.h"

#include <gmock/gmock.h>

#include "provisioner/base/rapidjson.h"

namespace prov::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

NodeState With(std::string digest) {
  NodeState out;
  out.digest = std::move(digest);
  return out;
}

std::vector<std::string> Reasons(const std::optional<NodeState>& before, const NodeState& now) {
  std::vector<std::string> out;
  for (const NodeEvent& event : EventsBetween(before, now)) out.push_back(event.reason);
  return out;
}

TEST(NodeEvents, TellWhatChanged) {
  const NodeState then = With("a");
  EXPECT_THAT(Reasons(then, then), IsEmpty());
  EXPECT_THAT(Reasons(then, With("b")), ElementsAre("EgressSettings"));
  NodeState now = With("a");
  now.credential_digest = "c";
  EXPECT_THAT(Reasons(then, now), ElementsAre("EgressSettings"));
  now = With("a");
  now.drift = 1;
  now.stale_services = {"kubelet"};
  now.reboot_required = true;
  now.held = true;
  EXPECT_THAT(Reasons(then, now), ElementsAre("EgressDrift", "EgressStale", "EgressReboot", "EgressHeld"));
  EXPECT_THAT(Reasons(now, now), IsEmpty()) << "each once";
  now.read_at = 7;
  EXPECT_THAT(Reasons(now, With("a")), IsEmpty()) << "what is over needs nobody";
}

TEST(NodeEvents, TellWhatWaitsForApprovalAndHowItWasTried) {
  const auto with = [](std::optional<std::string> pending, std::optional<NodeTrial> trial) {
    NodeState out = With("a");
    out.approval = NodeApproval{std::move(pending), std::move(trial)};
    return out;
  };
  const NodeState quiet = with({}, {});
  const NodeState waits = with("b", {});
  const NodeState back = with("b", NodeTrial{"b", TrialResult::kTakenBack, "no answer"});
  NodeState done = with({}, NodeTrial{"b", TrialResult::kConfirmed, ""});
  EXPECT_THAT(Reasons(With("a"), quiet), IsEmpty());
  EXPECT_THAT(Reasons(quiet, waits), ElementsAre("EgressPending"));
  EXPECT_THAT(Reasons(waits, waits), IsEmpty());
  EXPECT_THAT(Reasons(waits, back), ElementsAre("EgressTakenBack"));
  EXPECT_THAT(EventsBetween(waits, back).front().message, HasSubstr("no answer"));
  EXPECT_TRUE(EventsBetween(waits, back).front().is_warning);
  EXPECT_THAT(Reasons(back, back), IsEmpty());
  EXPECT_THAT(Reasons(back, with("c", back.approval->trial)), ElementsAre("EgressPending"));
  done.digest = "b";
  EXPECT_THAT(Reasons(waits, done), ElementsAre("EgressSettings", "EgressConfirmed"));
  EXPECT_THAT(Reasons(done, with({}, done.approval->trial)), ElementsAre("EgressSettings"));
}

TEST(NodeEvents, AFailureBeginsAndEnds) {
  NodeState failing = With("a");
  failing.failure = NodeFailure{"network", "no answer"};
  EXPECT_THAT(Reasons(With("a"), failing), ElementsAre("EgressFailure"));
  EXPECT_TRUE(EventsBetween(With("a"), failing).front().is_warning);
  NodeState other = failing;
  other.failure->message = "no answer within 3 s";
  EXPECT_THAT(Reasons(failing, other), IsEmpty()) << "other words of the same failure";
  other.failure->code = "tls";
  EXPECT_THAT(Reasons(failing, other), ElementsAre("EgressFailure"));
  EXPECT_THAT(Reasons(failing, With("a")), ElementsAre("EgressRecovered"));
}

TEST(NodeEvents, ANewNodeTellsOnlyOfFailures) {
  EXPECT_THAT(Reasons(std::nullopt, With("a")), IsEmpty());
  NodeState failing = With("a");
  failing.failure = NodeFailure{"network", "no answer"};
  EXPECT_THAT(Reasons(std::nullopt, failing), ElementsAre("EgressFailure"));
}

TEST(NodeEvents, AreObjectsThatDescribeNodeShows) {
  const NodeEvent event{"EgressFailure", "no \x1b[2J answer" + std::string(5000, 'x'), true};
  rapidjson::Document object;
  const std::string text = EventObject(event, {"Node", "", "win-1"}, "win-1", 1'700'000'000);
  object.Parse(text.data(), text.size());
  ASSERT_FALSE(object.HasParseError());
  EXPECT_STREQ(object["metadata"]["namespace"].GetString(), "default");
  EXPECT_THAT(object["metadata"]["name"].GetString(), StartsWith("win-1."));
  const std::string_view digits = std::string_view(object["metadata"]["name"].GetString()).substr(6);
  EXPECT_EQ(digits.size(), 16U);
  EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string_view::npos) << digits;
  EXPECT_STREQ(object["involvedObject"]["kind"].GetString(), "Node");
  EXPECT_STREQ(object["involvedObject"]["uid"].GetString(), "win-1");
  EXPECT_STREQ(object["type"].GetString(), "Warning");
  EXPECT_STREQ(object["firstTimestamp"].GetString(), "2023-11-14T22:13:20Z");
  EXPECT_THAT(object["message"].GetString(), AllOf(HasSubstr("no \\x1b[2J answer"), Not(HasSubstr("\x1b"))));
  EXPECT_LT(object["message"].GetStringLength(), 1024U);
  EXPECT_EQ(EventObject(event, {"Node", "", "win-1"}, "win-1", 1),
            EventObject(event, {"Node", "", "win-1"}, "win-1", 1));
  EXPECT_NE(EventObject(event, {"Node", "", "win-1"}, "win-1", 1),
            EventObject(event, {"Node", "", "win-1"}, "win-1", 2));
}

TEST(NodeEvents, OfAnObjectInANamespaceHaveItsUid) {
  const NodeEvent event{"EgressUserDataNotUsed", "m", true};
  const std::string text =
      EventObject(event, {"MachineSet", "machines", "win", "u-1", "machine.openshift.io/v1beta1"}, "pod", 1);
  rapidjson::Document object;
  object.Parse(text.data(), text.size());
  const auto& about = object["involvedObject"];
  EXPECT_STREQ(about["uid"].GetString(), "u-1");
  EXPECT_STREQ(about["apiVersion"].GetString(), "machine.openshift.io/v1beta1");
  EXPECT_STREQ(about["namespace"].GetString(), "machines");
  const std::string without = EventObject(event, {"Secret", "machines", "ours"}, "pod", 1);
  object.Parse(without.data(), without.size());
  EXPECT_FALSE(object["involvedObject"].HasMember("uid")) << "not known, and not the name: that is for nodes";
}

TEST(EventBudget, FiveAtOnceThenOneEachTenMinutes) {
  EventBudget budget;
  int taken = 0;
  for (int i = 0; i < 100; ++i) taken += budget.Take(1000) ? 1 : 0;
  EXPECT_EQ(taken, 5);
  EXPECT_FALSE(budget.Take(1599));
  EXPECT_TRUE(budget.Take(1600));
  EXPECT_FALSE(budget.Take(1601));
  taken = 0;
  for (std::int64_t second = 0; second < 86400; ++second) taken += budget.Take(1601 + second) ? 1 : 0;
  EXPECT_EQ(taken, 144);
  EXPECT_FALSE(budget.Take(100)) << "a clock that is set back gives none";
  EXPECT_TRUE(budget.Take(700));
}

}  // namespace
}  // namespace prov::fleet
