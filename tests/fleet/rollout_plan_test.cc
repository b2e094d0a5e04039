#include "provisioner/fleet/rollout_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/differential/seed.h"

namespace prov::fleet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kNew = "new";
constexpr const char* kOld = "old";

RolloutNode Node(std::string name, std::string zone = "") {
  RolloutNode out;
  out.name = std::move(name);
  out.zone = std::move(zone);
  out.state.emplace();
  out.state->digest = kOld;
  out.state->approval.emplace();
  out.state->approval->pending = kNew;
  return out;
}

void Confirm(RolloutNode& node, const char* digest = kNew, std::int64_t attempt = 1) {
  node.state->digest = digest;
  node.state->approval = NodeApproval{std::nullopt, NodeTrial{digest, TrialResult::kConfirmed, "", attempt}};
}

void TakeBack(RolloutNode& node, std::string reason, std::int64_t attempt = 1) {
  node.state->digest = kOld;
  node.state->approval = NodeApproval{kNew, NodeTrial{kNew, TrialResult::kTakenBack, std::move(reason), attempt}};
}

void Approve(RolloutNode& node, const std::string& digest, std::int64_t attempt = 1) {
  node.approved = digest;
  node.approved_attempt = attempt;
}

// A cluster and a coordinator that writes what the plan says.
struct Fleet {
  RolloutOrder order = {.digest = kNew,
                        .previous = kOld,
                        .canaries = 1,
                        .wave = {.number = 2, .is_percent = false},
                        .soak_seconds = 60,
                        .timeout_seconds = 600};
  std::vector<RolloutNode> nodes;
  std::int64_t now = 1'000'000;
  RolloutProgress progress = [this] {
    RolloutProgress out;
    out.wave_since = now;
    return out;
  }();

  RolloutNode& At(std::string_view name) { return *std::ranges::find(nodes, name, &RolloutNode::name); }

  // Returns what was approved.
  std::vector<std::string> Step() {
    RolloutStep step = NextStep(order, progress, nodes, now);
    progress = step.progress;
    for (const std::string& name : step.approve) Approve(At(name), order.digest, order.attempt);
    for (const std::string& name : step.take_back) Approve(At(name), order.previous, order.attempt);
    for (const std::string& name : step.withdraw) {
      At(name).approved.reset();
      At(name).approved_attempt = 0;
    }
    return step.approve;
  }
  void ConfirmApproved() {
    for (RolloutNode& node : nodes) {
      if (node.approved == kNew) Confirm(node);
    }
  }
  // Ten steps, a minute apart.
  void Go() {
    for (int i = 0; i < 10; ++i) {
      Step();
      now += 60;
    }
  }
};

Fleet OfFive() {
  Fleet out;
  for (const char* name : {"a", "b", "c", "d", "e"}) out.nodes.push_back(Node(name));
  return out;
}

TEST(RolloutPlan, ACanaryThenWavesEachAfterTheOneBeforeHasSoaked) {
  Fleet fleet = OfFive();
  EXPECT_THAT(fleet.Step(), ElementsAre("a"));
  EXPECT_THAT(fleet.Step(), IsEmpty()) << "not confirmed";
  fleet.ConfirmApproved();
  EXPECT_THAT(fleet.Step(), IsEmpty()) << "confirmed just now";
  fleet.now += 59;
  EXPECT_THAT(fleet.Step(), IsEmpty());
  fleet.now += 1;
  EXPECT_THAT(fleet.Step(), ElementsAre("b", "c"));
  fleet.ConfirmApproved();
  fleet.Step();
  fleet.now += 60;
  EXPECT_THAT(fleet.Step(), ElementsAre("d", "e"));
  EXPECT_EQ(fleet.progress.wave, 3U);
  fleet.ConfirmApproved();
  fleet.Step();
  fleet.now += 60;
  EXPECT_THAT(fleet.Step(), IsEmpty());
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kDone);
}

TEST(RolloutPlan, WhereEachNodeHasTheSettingsThereIsNothingToDo) {
  Fleet fleet = OfFive();
  for (RolloutNode& node : fleet.nodes) Confirm(node);
  EXPECT_THAT(fleet.Step(), IsEmpty());
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kDone);
}

TEST(RolloutPlan, CanariesAreSpreadOverZonesOrChosenByTheirLabel) {
  Fleet fleet;
  fleet.nodes = {Node("a", "1"), Node("b", "1"), Node("c", "2"), Node("d", "3")};
  fleet.order.canaries = 3;
  EXPECT_THAT(NextStep(fleet.order, {}, fleet.nodes, 0).approve, ElementsAre("a", "c", "d"));
  fleet.At("b").canary = true;
  EXPECT_THAT(NextStep(fleet.order, {}, fleet.nodes, 0).approve, ElementsAre("b"));
  fleet.At("b").reachable = false;
  EXPECT_THAT(NextStep(fleet.order, {}, fleet.nodes, 0).approve, IsEmpty()) << "no other node stands in for it";
  const RolloutStep late = NextStep(fleet.order, {}, fleet.nodes, 601);
  EXPECT_EQ(late.progress.reason, "b can't try the settings: they are not ready, or have not read them");
}

// Its pod may be dead: what a person chose is waited for, and no other node stands in for it.
TEST(RolloutPlan, ALabelledNodeThatCanNotTryTheSettingsStopsTheRollout) {
  using Change = void (*)(RolloutNode&);
  const std::pair<Change, std::string_view> all[] = {
      {[](RolloutNode& node) { node.state.reset(); }, " (c reports nothing that can be read)"},
      {[](RolloutNode& node) { node.state->approval.reset(); }, " (c does not wait for approval)"},
      {[](RolloutNode& node) { node.state->held = true; }, " (c is held by a rollback)"},
      {[](RolloutNode& node) { node.state->approval->pending.reset(); }, ""},
      {[](RolloutNode& node) { Confirm(node), node.reachable = false; }, ""}};
  for (const auto& [change, why] : all) {
    Fleet fleet = OfFive();
    fleet.At("b").canary = fleet.At("c").canary = true;
    change(fleet.At("c"));
    fleet.Go();
    EXPECT_EQ(fleet.progress.phase, RolloutPhase::kOpen);
    fleet.Go();
    EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
    EXPECT_EQ(fleet.progress.reason,
              fmt::format("c can't try the settings: they are not ready, or have not read them{}", why));
    EXPECT_THAT(fleet.progress.failed, ElementsAre("c"));
    for (const RolloutNode& node : fleet.nodes) EXPECT_EQ(node.approved, std::nullopt) << node.name << why;
  }
}

// As after a rollout that failed in a later wave.
TEST(RolloutPlan, ALabelledNodeThatHasTheSettingsIsACanaryThatConfirmed) {
  Fleet fleet = OfFive();
  fleet.order.attempt = 2;
  fleet.At("c").canary = true;
  Confirm(fleet.At("c"));
  EXPECT_THAT(fleet.Step(), IsEmpty()) << "no other node is a canary";
  EXPECT_EQ(fleet.progress.wave, 1U);
  EXPECT_THAT(fleet.progress.members, ElementsAre("c"));
  fleet.Step();
  fleet.now += 59;
  EXPECT_THAT(fleet.Step(), IsEmpty()) << "it soaks";
  fleet.now += 1;
  EXPECT_THAT(fleet.Step(), ElementsAre("a", "b"));
  EXPECT_EQ(fleet.progress.wave, 2U);
}

TEST(RolloutPlan, OfTheLabelledNodesOnlyThoseThatLackTheSettingsAreAsked) {
  Fleet fleet = OfFive();
  fleet.At("c").canary = fleet.At("d").canary = true;
  Confirm(fleet.At("c"));
  EXPECT_THAT(fleet.Step(), ElementsAre("d"));
  EXPECT_THAT(fleet.progress.members, ElementsAre("c", "d"));
  Confirm(fleet.At("d"));
  fleet.At("c").reachable = false;
  fleet.Go();
  fleet.Go();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed) << "all canaries have to be well";
  EXPECT_EQ(fleet.progress.reason, "c can't be reached since the settings were approved");
}

TEST(RolloutPlan, OnlyNodesThatHaveReadTheSettingsAreApproved) {
  Fleet fleet = OfFive();
  for (RolloutNode& node : fleet.nodes) node.state->approval->pending = std::string(64, 'f');
  fleet.At("c").state->approval->pending = kNew;
  EXPECT_THAT(fleet.Step(), ElementsAre("c"));
  fleet.At("c").state->approval->pending.reset();
  fleet.progress = RolloutProgress();
  fleet.progress.wave_since = fleet.now;
  fleet.At("c").approved.reset();
  EXPECT_THAT(fleet.Step(), IsEmpty());
  fleet.now += 601;
  fleet.Step();
  EXPECT_THAT(fleet.progress.reason, HasSubstr("a waits for ffffffffffff; is the rollout's source that of the nodes?"));
}

// What the settings have broken does not come back to say so: a node that is gone proves nothing.
TEST(RolloutPlan, ACanaryThatIsGoneOrSilentIsNotConfirmed) {
  for (const bool is_gone : {true, false}) {
    Fleet fleet = OfFive();
    fleet.order.most_unreachable = 5;
    fleet.Step();
    if (is_gone) {
      std::erase_if(fleet.nodes, [](const RolloutNode& node) { return node.name == "a"; });
    } else {
      fleet.At("a").state.reset();
    }
    fleet.Go();
    fleet.Go();
    EXPECT_EQ(fleet.progress.wave, 1U);
    EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
    EXPECT_THAT(fleet.progress.failed, ElementsAre("a"));
  }
}

TEST(RolloutPlan, ALaterWaveNeedsOneNodeThatConfirmed) {
  Fleet fleet = OfFive();
  fleet.order.soak_seconds = 0;
  fleet.order.most_unreachable = 5;
  fleet.Step();
  fleet.ConfirmApproved();
  EXPECT_THAT(fleet.Step(), ElementsAre("b", "c"));
  fleet.At("b").reachable = fleet.At("c").reachable = false;
  EXPECT_THAT(fleet.Step(), IsEmpty());
  fleet.At("c").reachable = true;
  Confirm(fleet.At("c"));
  EXPECT_THAT(fleet.Step(), ElementsAre("d", "e"));
}

TEST(RolloutPlan, OfTheLastWaveAllMayBeOutOfReachUpToANumber) {
  Fleet fleet = OfFive();
  fleet.order.soak_seconds = 0;
  fleet.order.most_unreachable = 2;
  for (int i = 0; i < 2; ++i) {
    fleet.Step();
    fleet.ConfirmApproved();
  }
  EXPECT_THAT(fleet.Step(), ElementsAre("d", "e"));
  fleet.At("d").reachable = fleet.At("e").reachable = false;
  fleet.Step();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kDone);
}

TEST(RolloutPlan, WhereNobodyCanTryTheSettingsNobodyGetsThem) {
  Fleet fleet = OfFive();
  for (RolloutNode& node : fleet.nodes) node.reachable = false;
  fleet.Go();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kOpen);
  fleet.Go();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
  for (const RolloutNode& node : fleet.nodes) EXPECT_EQ(node.approved, std::nullopt);
  Fleet empty;
  empty.Go();
  EXPECT_EQ(empty.progress.phase, RolloutPhase::kOpen);
}

TEST(RolloutPlan, OneNodeThatTookBackEndsIt) {
  Fleet fleet = OfFive();
  fleet.order.canaries = 2;
  fleet.Step();
  TakeBack(fleet.At("b"), "https://quay.io/v2/ does not answer");
  EXPECT_THAT(fleet.Step(), IsEmpty());
  EXPECT_EQ(fleet.progress.reason, "b took the settings back: https://quay.io/v2/ does not answer");
  EXPECT_EQ(fleet.At("a").approved, std::nullopt) << "an approval that was not used is taken away";
  EXPECT_THAT(fleet.progress.failed, ElementsAre("b"));
  fleet.Step();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
  fleet.now += 10'000;
  EXPECT_THAT(fleet.Step(), IsEmpty()) << "and nothing is approved any more";
}

TEST(RolloutPlan, WhatIsConfirmedStays) {
  Fleet fleet = OfFive();
  fleet.order.canaries = 2;
  fleet.Step();
  Confirm(fleet.At("a"));
  TakeBack(fleet.At("b"), "");
  fleet.Step();
  fleet.Step();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
  EXPECT_EQ(fleet.At("a").state->digest, kNew);
  EXPECT_EQ(fleet.progress.reason, "b took the settings back");
  EXPECT_EQ(StandingOf(fleet.At("b"), fleet.order), RolloutStanding::kTookBack) << "still known";
}

TEST(RolloutPlan, OrReturnsAndIsLookedAtUntilItIsBack) {
  for (const bool returns : {true, false}) {
    Fleet fleet = OfFive();
    fleet.order.takes_back = true;
    fleet.order.canaries = 3;
    fleet.Step();
    Confirm(fleet.At("a"));
    TakeBack(fleet.At("b"), "");
    fleet.Step();
    EXPECT_EQ(fleet.At("a").approved, kOld);
    EXPECT_EQ(fleet.At("c").approved, kOld) << "it may be trying them now";
    fleet.Step();
    EXPECT_EQ(fleet.At("b").approved, std::nullopt) << "it is back";
    EXPECT_EQ(fleet.progress.phase, RolloutPhase::kTakingBack);
    if (returns) {
      Confirm(fleet.At("a"), kOld);
      fleet.Go();
    }
    fleet.Go();
    fleet.Go();
    EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
    EXPECT_EQ(fleet.progress.reason, returns ? "b took the settings back"
                                             : "b took the settings back; a did not return to the former settings");
    EXPECT_EQ(fleet.At("c").approved, std::nullopt) << "its time to try them is over";
  }
}

// The former settings are those that are rolled out: there is nothing to return to.
TEST(RolloutPlan, AFailureEndsAlsoWhereNothingWasConfirmedBefore) {
  for (const char* previous : {"", kNew}) {
    Fleet fleet = OfFive();
    fleet.order.previous = previous;
    fleet.order.takes_back = true;
    fleet.Step();
    TakeBack(fleet.At("a"), "");
    fleet.Step();
    fleet.Step();
    EXPECT_EQ(fleet.progress.phase, RolloutPhase::kFailed);
    EXPECT_EQ(fleet.At("a").approved, std::nullopt);
  }
}

TEST(RolloutPlan, TheTimeOutNamesThoseThatDidNotConfirm) {
  Fleet fleet = OfFive();
  fleet.Step();
  fleet.now += 600;
  fleet.Step();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kOpen);
  fleet.now += 1;
  fleet.Step();
  EXPECT_EQ(fleet.progress.reason, "a did not confirm the settings within 600 seconds");
}

TEST(RolloutPlan, NodesOutOfReachAreWaitedForUpToANumber) {
  for (const std::size_t most : {0U, 1U}) {
    Fleet fleet = OfFive();
    fleet.order.soak_seconds = 0;
    fleet.order.most_unreachable = most;
    fleet.Step();
    fleet.ConfirmApproved();
    fleet.Step();
    Confirm(fleet.At("b"));
    Confirm(fleet.At("c"));
    fleet.At("b").reachable = false;  // although it said that it has them
    EXPECT_THAT(fleet.Step(), SizeIs(most == 0 ? 0 : 2));
    if (most != 0) continue;
    fleet.now += 601;
    fleet.Step();
    EXPECT_THAT(fleet.progress.reason, HasSubstr("b can't be reached since the settings were approved"));
    EXPECT_THAT(fleet.progress.failed, ElementsAre("b"));
  }
}

// A node that boots again, as the settings asked it to, has the time that a wave has.
TEST(RolloutPlan, ANodeThatLeavesWhileTheWaveSoaksHasTimeToReturn) {
  Fleet fleet = OfFive();
  fleet.order.soak_seconds = 10'000;
  fleet.Step();
  fleet.ConfirmApproved();
  fleet.Step();
  fleet.now += 5'000;
  fleet.At("a").reachable = false;
  fleet.Step();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kOpen);
  fleet.now += 600;
  fleet.Step();
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kOpen);
  fleet.now += 1;
  fleet.Step();
  EXPECT_EQ(fleet.progress.reason, "a can't be reached since the settings were approved");
}

TEST(RolloutPlan, OutOfReachNodesAreNoCanariesAndGetTheSettingsAtTheEnd) {
  Fleet fleet = OfFive();
  fleet.order.soak_seconds = 0;
  fleet.order.wave = {.number = 100, .is_percent = true};
  fleet.At("a").reachable = false;
  EXPECT_THAT(fleet.Step(), ElementsAre("b"));
  fleet.ConfirmApproved();
  EXPECT_THAT(fleet.Step(), ElementsAre("c", "d", "e"));
  fleet.ConfirmApproved();
  EXPECT_THAT(fleet.Step(), ElementsAre("a"));
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kDone);
}

TEST(RolloutPlan, NodesApartAreNotWaitedFor) {
  Fleet fleet = OfFive();
  fleet.At("a").state->approval.reset();
  fleet.At("b").state.reset();
  fleet.At("c").state->held = true;  // by a person's rollback
  EXPECT_THAT(fleet.Step(), ElementsAre("d"));
  EXPECT_EQ(StandingOf(fleet.At("c"), fleet.order), RolloutStanding::kApart);
}

TEST(RolloutPlan, WhatAnEarlierRolloutOfTheSameSettingsTookBackIsTriedAgain) {
  Fleet fleet = OfFive();
  fleet.At("a").state->approval->trial = NodeTrial{kNew, TrialResult::kTakenBack, "no answer", 1};
  fleet.order.attempt = 2;
  Approve(fleet.At("a"), kNew, 1);
  EXPECT_EQ(StandingOf(fleet.At("a"), fleet.order), RolloutStanding::kWaiting);
  EXPECT_THAT(fleet.Step(), ElementsAre("a"));
  EXPECT_EQ(fleet.At("a").approved_attempt, 2);
  EXPECT_EQ(StandingOf(fleet.At("a"), fleet.order), RolloutStanding::kApproved);
  fleet.At("a").state->approval->trial->attempt = 2;
  EXPECT_EQ(StandingOf(fleet.At("a"), fleet.order), RolloutStanding::kTookBack);
}

TEST(RolloutPlan, AHeldRolloutWaits) {
  Fleet fleet = OfFive();
  fleet.Step();
  fleet.progress.phase = RolloutPhase::kHeld;
  fleet.ConfirmApproved();
  fleet.now += 10'000;
  EXPECT_THAT(fleet.Step(), IsEmpty());
  EXPECT_EQ(fleet.progress.phase, RolloutPhase::kHeld);
}

TEST(RolloutPlan, AKilledCoordinatorEndsTheWaveThatItBegan) {
  Fleet fleet = OfFive();
  fleet.order.canaries = 3;
  const RolloutStep step = NextStep(fleet.order, fleet.progress, fleet.nodes, fleet.now);
  fleet.progress = step.progress;  // written, and one of three approvals, too
  Approve(fleet.At("a"), kNew);
  Confirm(fleet.At("a"));
  EXPECT_THAT(fleet.Step(), ElementsAre("b", "c"));
  EXPECT_EQ(fleet.progress.wave, 1U);
}

TEST(RolloutPlan, AClockThatIsSetBackCutsNoTime) {
  Fleet fleet = OfFive();
  fleet.Step();
  fleet.ConfirmApproved();
  fleet.Step();
  fleet.now -= 100'000;
  EXPECT_THAT(fleet.Step(), IsEmpty());
  fleet.now += 59;
  EXPECT_THAT(fleet.Step(), IsEmpty());
  fleet.now += 1;
  EXPECT_THAT(fleet.Step(), SizeIs(2));
}

TEST(RolloutPlan, SizesOfWaves) {
  EXPECT_EQ((WaveSize{10, true}).Of(400), 40U);
  EXPECT_EQ((WaveSize{10, true}).Of(5), 1U);
  EXPECT_EQ((WaveSize{1, true}).Of(101), 2U);
  EXPECT_EQ((WaveSize{500, true}).Of(3), 3U);
  EXPECT_EQ((WaveSize{7, false}).Of(3), 7U);
  EXPECT_EQ((WaveSize{0, false}).Of(3), 1U);
}

// Whatever nodes, the coordinator and its clock do, nodes that vanish, return anew or fall silent included: no wave
// begins before the last one is confirmed, settings that no node can confirm reach no more than the canaries, and a
// rollout ends.
class RolloutRun {
 public:
  explicit RolloutRun(differential::Random& random) : random_(random) {
    fleet_.order.canaries = 1 + Below(3);
    fleet_.order.attempt = 2;
    fleet_.order.wave = {.number = 1 + Below(6), .is_percent = false};
    fleet_.order.soak_seconds = static_cast<std::int64_t>(Below(3)) * 30;
    fleet_.order.most_unreachable = Below(4);
    fleet_.order.takes_back = Below(2) == 0;
    if (Below(4) == 0) fleet_.order.previous = Below(2) == 0 ? "" : kNew;
    is_bad_ = Below(3) == 0;
    has_labels_ = Below(3) == 0;
    for (std::size_t i = 0; i < 1 + Below(20); ++i) Add(fmt::format("n{}", i));
    fleet_.progress.wave_since = fleet_.now;
  }

  void Run() {
    for (int i = 0; i < 3000 && !IsOver(); ++i) {
      if (i < 300) Disturb();
      Live();
      Coordinate();
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_TRUE(IsOver()) << NameOf(fleet_.progress.phase);
    if (is_bad_) {
      EXPECT_NE(fleet_.progress.phase, RolloutPhase::kDone);
    }
  }

 private:
  std::size_t Below(std::size_t limit) { return random_.Below(limit); }
  bool IsOver() const {
    return fleet_.progress.phase == RolloutPhase::kDone || fleet_.progress.phase == RolloutPhase::kFailed;
  }

  void Add(const std::string& name) {
    RolloutNode node = Node(name, fmt::format("z{}", Below(3)));
    if (Below(10) == 0) Approve(node, kNew, 1);  // what an earlier rollout left
    if (Below(10) == 0) TakeBack(node, "earlier", 1);
    if (!is_bad_ && Below(10) == 0) Confirm(node, kNew, 1);
    const auto labelled = std::ranges::count_if(fleet_.nodes, &RolloutNode::canary);
    node.canary = has_labels_ && static_cast<std::size_t>(labelled) < fleet_.order.canaries && Below(3) == 0;
    fleet_.nodes.push_back(std::move(node));
  }

  void Disturb() {
    if (Below(50) == 0) fleet_.now -= 100;
    for (RolloutNode& node : fleet_.nodes) {
      if (Below(40) == 0) node.reachable = !node.reachable;
      if (Below(100) == 0) node.state.reset();  // a damaged annotation, or a program that is gone
    }
    if (Below(20) == 0 && fleet_.nodes.size() > 1) {
      const std::string name = fleet_.nodes[Below(fleet_.nodes.size())].name;
      std::erase_if(fleet_.nodes, [&](const RolloutNode& node) { return node.name == name; });
      if (Below(2) == 0) Add(name);  // made anew
    }
  }

  // What nodes do by themselves.
  void Live() {
    fleet_.now += static_cast<std::int64_t>(Below(40));
    for (RolloutNode& node : fleet_.nodes) {
      if (!node.reachable && Below(10) == 0) node.reachable = true;
      if (!node.state && Below(10) == 0) node.state = Node("").state;
      if (!node.state || !node.reachable || node.approved_attempt != fleet_.order.attempt || Below(3) != 0) continue;
      const bool took_back = StandingOf(node, fleet_.order) == RolloutStanding::kTookBack;
      if (node.approved == kNew && node.state->digest == kOld && !took_back)
        is_bad_ ? TakeBack(node, "a probe", 2) : Confirm(node, kNew, 2);
      if (node.approved == kOld && node.state->digest == kNew) Confirm(node, kOld, 2);
    }
  }

  void Coordinate() {
    const RolloutStep step = NextStep(fleet_.order, fleet_.progress, fleet_.nodes, fleet_.now);
    if (step.progress.wave != fleet_.progress.wave) CheckBegin(step);
    if (fleet_.progress.phase != RolloutPhase::kOpen) {
      EXPECT_THAT(step.approve, IsEmpty());
    }
    if (Below(10) == 0) return;  // killed before it wrote anything
    fleet_.progress = step.progress;
    const auto write = [&](const std::vector<std::string>& names, const std::string& digest, std::int64_t attempt) {
      for (const std::string& name : names) {
        if (Below(20) == 0) return;  // killed
        Approve(fleet_.At(name), digest, attempt);
        if (digest == kNew && attempt == 2) approved_.insert(name);
        if (attempt == 0) fleet_.At(name).approved.reset();
      }
    };
    write(step.approve, kNew, 2);
    write(step.take_back, fleet_.order.previous, 2);
    write(step.withdraw, "", 0);
    if (is_bad_) {
      EXPECT_LE(approved_.size(), fleet_.order.canaries);
    }
  }

  void CheckBegin(const RolloutStep& step) {
    EXPECT_EQ(step.progress.wave, fleet_.progress.wave + 1);
    EXPECT_LE(step.approve.size(), step.progress.wave == 1 ? fleet_.order.canaries : fleet_.order.wave.number);
    if (step.progress.wave == 1 && std::ranges::any_of(fleet_.nodes, &RolloutNode::canary)) {
      for (const RolloutNode& node : fleet_.nodes)
        EXPECT_EQ(std::ranges::count(step.progress.members, node.name), node.canary ? 1 : 0) << node.name;
    }
    std::size_t confirmed = 0, missing = 0;
    for (const std::string& name : fleet_.progress.members) {
      const auto found = std::ranges::find(fleet_.nodes, name, &RolloutNode::name);
      const bool has_it = found != fleet_.nodes.end() && found->state && found->state->digest == kNew &&
                          (found->reachable || found->approved_attempt != fleet_.order.attempt);
      ++(has_it ? confirmed : missing);
    }
    if (fleet_.progress.wave == 0) return;
    EXPECT_GT(confirmed, 0U);
    EXPECT_LE(missing, fleet_.progress.wave == 1 ? 0 : fleet_.order.most_unreachable);
  }

  differential::Random& random_;
  Fleet fleet_;
  bool is_bad_ = false;
  bool has_labels_ = false;
  std::set<std::string> approved_;
};

TEST(RolloutPlan, NoWaveBeginsBeforeTheLastOneIsConfirmed) {
  differential::Random random(differential::Seed("RolloutPlan"));
  for (int i = 0; i < 500; ++i) {
    SCOPED_TRACE(fmt::format("run {}", i));
    RolloutRun(random).Run();
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace prov::fleet
