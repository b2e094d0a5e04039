#include "provisioner/fleet/reboot_plan.h"

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
using testing::Pair;

constexpr std::int64_t kRebootNow = 1'000'000;

RebootNode Waiting(std::string name, std::string boot = "b1") {
  RebootNode out{std::move(name)};
  out.state.emplace();
  out.state->reboot_required = true;
  out.state->drain = node::DrainWish{std::move(boot), true};
  return out;
}

RebootNode Draining(std::string name, bool cordoned_by_us = true) {
  RebootNode out = Waiting(std::move(name));
  out.cordoned = true;
  out.turn = RebootTurn{"b1", cordoned_by_us};
  return out;
}

RebootNode Restarting(std::string name) {
  RebootNode out = Draining(std::move(name));
  out.approved = "b1";
  return out;
}

RebootNode Back(std::string name) {
  RebootNode out = Restarting(std::move(name));
  out.state->reboot_required = false;
  out.state->drain = node::DrainWish{"b2", false};
  return out;
}

DrainPod Pod(std::string name) { return {"shop", std::move(name), "uid"}; }

struct RebootRun {
  RebootOrder order = {.wave = 1, .timeout_seconds = 600};
  RebootProgress progress = {};
  std::vector<RebootNode> nodes = {};
  DrainPods pods = {};
  bool may_begin = true;
  std::int64_t now = kRebootNow;

  RebootStep Step() {
    RebootStep out = NextReboots(order, progress, nodes, pods, may_begin, now);
    progress = out.progress;
    return out;
  }
  // The same after the time-out.
  RebootStep Late() {
    Step();
    now += 601;
    return Step();
  }
};

TEST(RebootPlan, NodesTakeTurns) {
  RebootRun run{.nodes = {Waiting("a"), Waiting("b"), RebootNode{"c"}}};
  EXPECT_THAT(run.Step().begin, ElementsAre("a"));
  run.nodes[0] = Draining("a");
  RebootStep step = run.Step();
  EXPECT_THAT(step.evict, IsEmpty()) << "its pods were not listed";
  EXPECT_THAT(step.approve, IsEmpty()) << "the same";
  run.pods["a"] = {Pod("web-1")};
  step = run.Step();
  EXPECT_THAT(step.evict, ElementsAre("a"));
  EXPECT_THAT(step.begin, IsEmpty());
  run.pods["a"][0].ends = true;
  EXPECT_THAT(run.Step().approve, IsEmpty()) << "it still ends";
  run.pods["a"].clear();
  EXPECT_THAT(run.Step().approve, ElementsAre("a"));
  run.nodes[0] = Restarting("a");
  step = run.Step();
  EXPECT_THAT(step.approve, IsEmpty());
  EXPECT_THAT(step.begin, IsEmpty());
  run.nodes[0] = Back("a");
  run.nodes[0].ready = false;
  EXPECT_THAT(run.Step().end, IsEmpty()) << "it is not ready";
  run.nodes[0].ready = true;
  step = run.Step();
  EXPECT_THAT(step.end, ElementsAre("a"));
  EXPECT_THAT(step.begin, IsEmpty()) << "it still has its turn";
  run.nodes[0] = RebootNode{"a"};
  EXPECT_THAT(run.Step().begin, ElementsAre("b"));
  run.nodes[1] = RebootNode{"b"};
  EXPECT_TRUE(run.Step().is_over);
}

TEST(RebootPlan, OnlyWholeWavesFollowEachOther) {
  RebootRun run{.order = {.wave = 2, .timeout_seconds = 600}, .nodes = {Waiting("a"), Waiting("b"), Waiting("c")}};
  EXPECT_THAT(run.Step().begin, ElementsAre("a", "b"));
  run.nodes[0] = Restarting("a");  // a coordinator was killed before it cordoned b
  EXPECT_THAT(run.Step().begin, IsEmpty());
  run.nodes[0] = RebootNode{"a"};
  EXPECT_THAT(run.Step().begin, ElementsAre("b", "c"));
}

// What a node that waits may be, so that it is not begun. The run ends, as nothing will come of waiting.
TEST(RebootPlan, SomeThatWaitAreLeft) {
  RebootNode not_ready = Waiting("a");
  not_ready.ready = false;
  RebootNode of_operator = Waiting("b");
  of_operator.operator_asked = true;
  RebootNode approved_by_hand = Waiting("d");
  approved_by_hand.approved = "b1";
  RebootNode unreadable{"e"};
  for (const RebootNode& node : {not_ready, of_operator, approved_by_hand, unreadable}) {
    RebootRun run{.nodes = {node}};
    const RebootStep step = run.Step();
    EXPECT_THAT(step.begin, IsEmpty()) << node.name;
    EXPECT_TRUE(step.is_over) << node.name;
  }
}

TEST(RebootPlan, AnApprovalOfAFormerBootCountsForNothing) {
  RebootNode node = Waiting("a", "b2");
  node.approved = "b1";
  RebootRun run{.nodes = {node}};
  EXPECT_THAT(run.Step().begin, ElementsAre("a"));
}

TEST(RebootPlan, WhileSettingsAreRolledOutNoneIsBegunAndThoseInTurnGoOn) {
  RebootRun run{.nodes = {Waiting("a")}, .may_begin = false};
  RebootStep step = run.Step();
  EXPECT_THAT(step.begin, IsEmpty());
  EXPECT_FALSE(step.is_over) << "it waits for its end";
  run.nodes.push_back(Draining("b"));
  run.pods["b"] = {};
  EXPECT_THAT(run.Step().approve, ElementsAre("b"));
}

TEST(RebootPlan, ARolloutThatNobodyRunsIsNotWaitedForForEver) {
  RebootRun run{.nodes = {Waiting("a")}, .may_begin = false};
  run.Step();
  run.now += 600;
  EXPECT_FALSE(run.Step().is_over);
  run.may_begin = true;
  EXPECT_THAT(run.Step().begin, ElementsAre("a"));
  run.may_begin = false;
  EXPECT_FALSE(run.Step().is_over) << "another rollout";
  run.now -= 1000;
  EXPECT_FALSE(run.Step().is_over) << "a clock that was set back begins the time anew";
  run.now += 600;
  EXPECT_FALSE(run.Step().is_over);
  run.now += 1;
  const RebootStep step = run.Step();
  EXPECT_TRUE(step.is_over);
  EXPECT_TRUE(step.progress.blocked);
  EXPECT_THAT(step.begin, IsEmpty());
}

TEST(RebootPlan, ANodeThatIsNotDrainedInTimeIsGivenBackAndNoOtherIsBegun) {
  RebootRun run{.nodes = {Draining("a"), Waiting("b")}, .pods = {{"a", {Pod("web-1"), Pod("web-2")}}}};
  run.pods["a"][0].refused = "the budget web needs 2";
  run.pods["a"][1].ends = true;
  const RebootStep step = run.Late();
  EXPECT_THAT(step.end, ElementsAre("a"));
  EXPECT_THAT(step.approve, IsEmpty());
  EXPECT_THAT(step.progress.failed,
              ElementsAre(Pair("a",
                               "was not drained within 600 seconds: shop/web-1 (the budget web needs 2), "
                               "shop/web-2 (still ends)")));
  run.nodes[0] = Waiting("a");
  const RebootStep next = run.Step();
  EXPECT_THAT(next.begin, IsEmpty());
  EXPECT_TRUE(next.is_over);
  EXPECT_THAT((RebootRun{.nodes = run.nodes}.Step().begin), ElementsAre("a")) << "the next run begins with it again";
}

TEST(RebootPlan, ANodeThatDoesNotReturnStaysCordoned) {
  RebootRun run{.nodes = {Restarting("a"), Waiting("b")}};
  const RebootStep step = run.Late();
  EXPECT_THAT(step.end, IsEmpty());
  EXPECT_THAT(step.progress.failed.at("a"), HasSubstr("did not come back within 600 seconds; it stays cordoned"));
  EXPECT_TRUE(step.is_over);
  EXPECT_THAT(RebootRun{.nodes = run.nodes}.Step().begin, IsEmpty())
      << "the next run waits for it, and begins no other";
  run.nodes[0] = Back("a");
  EXPECT_THAT(run.Step().end, ElementsAre("a"));
  EXPECT_THAT(run.progress.failed.at("a"), HasSubstr("came back after more than 600 seconds")) << "why b was not begun";
}

// The others of its wave go on meanwhile.
TEST(RebootPlan, AfterAFailureTheWaveIsFinished) {
  RebootRun run{.order = {.wave = 2, .timeout_seconds = 600},
                .nodes = {Restarting("a"), Draining("b"), Waiting("c")},
                .pods = {{"b", {Pod("web-1")}}}};
  run.Step();
  run.now += 300;
  run.nodes[1] = Restarting("b");
  run.Step();
  run.now += 301;
  RebootStep step = run.Step();
  EXPECT_FALSE(step.is_over) << "b has time left";
  run.nodes[1] = Back("b");
  step = run.Step();
  EXPECT_THAT(step.end, ElementsAre("b"));
  run.nodes[1] = RebootNode{"b"};
  step = run.Step();
  EXPECT_TRUE(step.is_over);
  EXPECT_THAT(step.begin, IsEmpty());
}

TEST(RebootPlan, APodThatNothingMakesAgainKeepsItsNode) {
  RebootRun run{.nodes = {Draining("a"), Waiting("b")}, .pods = {{"a", {Pod("web-1"), Pod("bare")}}}};
  run.pods["a"][1].has_owner = false;
  const RebootStep step = run.Step();
  EXPECT_THAT(step.evict, IsEmpty()) << "not even the other one";
  EXPECT_THAT(step.end, ElementsAre("a"));
  EXPECT_THAT(step.progress.failed.at("a"), HasSubstr("--force evicts: shop/bare"));
  run.nodes[0] = Waiting("a");
  EXPECT_THAT(run.Step().begin, ElementsAre("b")) << "the others have no part in it";
  RebootRun forced{.order = {.force = true}, .nodes = {Draining("a")}, .pods = run.pods};
  EXPECT_THAT(forced.Step().evict, ElementsAre("a"));
  run.nodes[0] = Draining("a");
  run.pods["a"][1].ends = true;
  EXPECT_THAT((RebootRun{.nodes = {run.nodes[0]}, .pods = run.pods}.Step().evict), ElementsAre("a"))
      << "somebody deleted it";
}

// What changes while a node is drained.
TEST(RebootPlan, ANodeThatChangedMeanwhile) {
  struct Case {
    const char* what;
    void (*change)(RebootNode&);
    bool is_ended, is_failed;
  };
  for (const Case& one : {
           Case{"it restarted by itself", [](RebootNode& n) { n.state->drain = node::DrainWish{"b2", false}; }, true,
                false},
           Case{"and needs a reboot again", [](RebootNode& n) { n.state->drain = node::DrainWish{"b2", true}; }, true,
                false},
           Case{"it is just restarting", [](RebootNode& n) { n.state->drain->boot = "b2", n.ready = false; }, false,
                false},
           Case{"its window closed", [](RebootNode& n) { n.state->drain->waits = false; }, true, true},
           Case{"the operator drains and restarts it", [](RebootNode& n) { n.operator_asked = true; }, false, false},
           Case{"somebody uncordoned it", [](RebootNode& n) { n.cordoned = false; }, true, true},
           Case{"its state can't be read", [](RebootNode& n) { n.state.reset(); }, false, false},
           Case{"it reports no wish", [](RebootNode& n) { n.state->drain.reset(); }, false, false},
       }) {
    RebootRun run{.nodes = {Draining("a")}, .pods = {{"a", {}}}};
    one.change(run.nodes[0]);
    const RebootStep step = run.Step();
    EXPECT_THAT(step.approve, IsEmpty()) << one.what;
    EXPECT_EQ(!step.end.empty(), one.is_ended) << one.what;
    EXPECT_EQ(!step.progress.failed.empty(), one.is_failed) << one.what;
  }
  RebootRun silent{.nodes = {Draining("a")}, .pods = {{"a", {}}}};
  silent.nodes[0].state.reset();
  const RebootStep step = silent.Late();
  EXPECT_THAT(step.end, ElementsAre("a"));
  EXPECT_THAT(step.progress.failed.at("a"), HasSubstr("reports no --reboot drain that can be read"));
  RebootRun of_operator{.nodes = {Draining("a"), Waiting("b")}};
  of_operator.nodes[0].operator_asked = true;
  const RebootStep late = of_operator.Late();
  EXPECT_THAT(late.end, ElementsAre("a"));
  EXPECT_THAT(late.progress.failed.at("a"), HasSubstr("Operator, which has not restarted it"));
  EXPECT_TRUE(late.progress.stops);
}

// It may not restart any more, or will not.
TEST(RebootPlan, AnApprovedNodeThatDoesNotRestartAnyMoreIsGivenBack) {
  struct Case {
    const char* what;
    void (*change)(RebootNode&);
    const char* why;  // "": it is waited for
  };
  for (const Case& one : {
           Case{"nothing", [](RebootNode&) {}, ""},
           Case{"its window closed", [](RebootNode& n) { n.state->drain->waits = false; }, "its window has closed"},
           Case{"it asked Windows", [](RebootNode& n) { n.state->drain = node::DrainWish{"b1", false, true}; }, ""},
           Case{"somebody uncordoned it", [](RebootNode& n) { n.cordoned = false; }, "uncordoned by somebody else"},
           Case{"the same, too late",
                [](RebootNode& n) { n.state->drain = node::DrainWish{"b1", false, true}, n.cordoned = false; }, ""},
           Case{"the operator restarts it",
                [](RebootNode& n) { n.operator_asked = true, n.state->drain->waits = false; }, ""},
           Case{"its state can't be read", [](RebootNode& n) { n.state.reset(); }, ""},
       }) {
    RebootRun run{.nodes = {Restarting("a"), Waiting("b")}};
    one.change(run.nodes[0]);
    const RebootStep step = run.Step();
    const std::string why = one.why;
    EXPECT_EQ(step.end.size(), why.empty() ? 0U : 1U) << one.what;
    EXPECT_THAT(step.begin, IsEmpty()) << one.what;
    EXPECT_FALSE(step.is_over) << one.what;
    if (!why.empty()) {
      EXPECT_THAT(step.progress.failed.at("a"), HasSubstr(why)) << one.what;
    }
  }
}

TEST(RebootPlan, AnApprovedNodeThatReportsNoWishAnyMoreIsGivenBackInTime) {
  RebootRun run{.nodes = {Restarting("a"), Waiting("b")}};
  run.nodes[0].state->drain.reset();
  RebootRun off = run;
  const RebootStep step = run.Late();
  EXPECT_THAT(step.end, ElementsAre("a"));
  EXPECT_THAT(step.progress.failed.at("a"), HasSubstr("reports no --reboot drain"));
  EXPECT_THAT(step.begin, IsEmpty());
  off.nodes[0].ready = false;
  EXPECT_THAT(off.Late().end, IsEmpty()) << "it may be about to come back";
}

TEST(RebootPlan, NoNodeIsRestartedTwiceByOneRun) {
  RebootRun run{.nodes = {Back("a")}};
  run.nodes[0].state->drain->waits = true;
  EXPECT_THAT(run.Step().end, ElementsAre("a"));
  run.nodes[0] = Waiting("a", "b2");
  const RebootStep step = run.Step();
  EXPECT_THAT(step.begin, IsEmpty());
  EXPECT_TRUE(step.is_over);
}

TEST(RebootPlan, ADamagedMarkStopsTheRun) {
  RebootNode node = Draining("a");
  node.turn.reset();
  node.turn_damaged = true;
  RebootRun run{.nodes = {node, Waiting("b")}, .pods = {{"a", {}}}};
  const RebootStep step = run.Step();
  EXPECT_THAT(step.begin, IsEmpty());
  EXPECT_THAT(step.end, IsEmpty());
  EXPECT_THAT(step.approve, IsEmpty());
  EXPECT_TRUE(step.is_over);
  EXPECT_THAT(step.progress.failed.at("a"), HasSubstr("damaged"));
}

TEST(RebootPlan, ANodeThatVanishedIsNotWaitedFor) {
  RebootRun run{.nodes = {Draining("a"), Waiting("b")}, .pods = {{"a", {Pod("web-1")}}}};
  run.Step();
  run.nodes.erase(run.nodes.begin());
  EXPECT_THAT(run.Step().begin, ElementsAre("b"));
}

TEST(RebootPlan, AClockThatWasSetBackEndsNoTime) {
  RebootRun run{.nodes = {Restarting("a")}};
  run.Step();
  run.now -= 100'000;
  run.Step();
  run.now += 600;
  EXPECT_THAT(run.Step().progress.failed, IsEmpty());
  run.now += 1;
  EXPECT_FALSE(run.Step().progress.failed.empty());
}

// A cluster in which anything may happen between two requests, and coordinators that are killed anywhere.
class World {
 public:
  World(std::uint64_t seed) : random_(seed) {
    order_.wave = 1 + random_.Below(3);
    order_.timeout_seconds = 60;
    for (std::size_t i = 0; i < 2 + random_.Below(6); ++i) Add(fmt::format("win-{}", i));
  }

  // Until a run is over in which nothing happens any more. Returns false if that does not come.
  bool Live() {
    for (int i = 0; i < 150; ++i) Step(false);
    for (Machine& machine : machines_) {
      machine.node.ready = true;
      machine.node.operator_asked = false;
      machine.is_silent = false;
      for (DrainPod& pod : machine.pods) pod.has_owner = true;
    }
    progress_ = {};
    for (int i = 0; i < 400; ++i) {
      if (!Step(true)) continue;
      if (std::ranges::none_of(machines_, &Machine::waits) && progress_.failed.empty()) return true;
      progress_ = {};  // a person runs it again
    }
    return false;
  }

  void ExpectNothingOfOurs() const {
    for (const Machine& machine : machines_) {
      EXPECT_FALSE(machine.node.turn) << machine.node.name;
      EXPECT_EQ(machine.node.approved, "") << machine.node.name;
      EXPECT_EQ(machine.node.cordoned, machine.is_cordoned_by_others) << machine.node.name;
      EXPECT_FALSE(machine.waits) << machine.node.name;
    }
  }

 private:
  struct Machine {
    RebootNode node;
    std::vector<DrainPod> pods;
    int boot = 1;
    bool waits = true, asked = false, is_silent = false, is_cordoned_by_others = false;
    bool was_uncordoned = false;  // by a person, after it was approved
    int version = 0;
  };

  void Add(std::string name) {
    Machine out{RebootNode{std::move(name)}, {}};
    out.boot = ++boots_;
    out.waits = !random_.OneIn(4);
    out.pods.push_back(Pod("web"));
    machines_.push_back(std::move(out));
  }
  static RebootNode Seen(const Machine& machine) {
    RebootNode out = machine.node;
    out.version = std::to_string(machine.version);
    if (machine.is_silent) return out;
    out.state.emplace();
    out.state->drain = node::DrainWish{std::to_string(machine.boot), machine.waits, machine.asked};
    return out;
  }

  // Whether the run is over.
  bool Step(bool is_quiet) {
    now_ += 2;
    std::vector<RebootNode> nodes;
    nodes.reserve(machines_.size());
    for (const Machine& machine : machines_) nodes.push_back(Seen(machine));
    if (!is_quiet) Happen();
    DrainPods pods;
    for (const Machine& machine : machines_) {
      if (StageOf(Seen(machine)) == RebootStage::kDraining) pods[machine.node.name] = machine.pods;
    }
    const RebootStep step = NextReboots(order_, progress_, nodes, pods, is_quiet || !random_.OneIn(5), now_);
    progress_ = step.progress;
    std::vector<std::pair<const char*, std::string>> writes;
    for (const std::string& name : step.end) writes.emplace_back("end", name);
    for (const std::string& name : step.approve) writes.emplace_back("approve", name);
    for (const std::string& name : step.begin) writes.emplace_back("begin", name);
    for (const std::string& name : step.evict) writes.emplace_back("evict", name);
    for (const auto& [what, name] : writes) {
      if (!is_quiet && random_.OneIn(12)) {
        progress_ = {};  // killed, and run again
        break;
      }
      if (!is_quiet) Happen();
      Write(what, *std::ranges::find(nodes, name, &RebootNode::name), is_quiet);
    }
    for (Machine& machine : machines_) Go(machine, is_quiet);
    return step.is_over;
  }

  void Write(std::string_view what, const RebootNode& seen, bool is_quiet) {
    const auto found = std::ranges::find(machines_, seen.name, [](const Machine& m) { return m.node.name; });
    if (found == machines_.end()) return;
    Machine& machine = *found;
    if (what == "evict") {
      std::erase_if(machine.pods, [&](const DrainPod&) { return is_quiet || random_.OneIn(3); });
      return;
    }
    if (std::to_string(machine.version) != seen.version) return;  // a conflict
    ++machine.version;
    RebootNode& node = machine.node;
    if (what == "begin") {
      node.turn = RebootTurn{seen.state->drain->boot, !seen.cordoned};
      node.cordoned = true;
    } else if (what == "approve") {
      EXPECT_THAT(machine.pods, IsEmpty()) << "approved before its pods were gone";
      EXPECT_TRUE(node.cordoned);
      EXPECT_TRUE(approvals_.insert(seen.name + "/" + node.turn->boot).second) << "twice for one boot";
      node.approved = node.turn->boot;
      machine.was_uncordoned = false;
    } else {
      // Who cordons a node that we have cordoned changes nothing of it.
      if (node.turn->cordoned) node.cordoned = machine.is_cordoned_by_others = false;
      if (node.approved == std::to_string(machine.boot)) approvals_.erase(seen.name + "/" + node.approved);
      node.turn.reset();
      node.approved.clear();
    }
    const auto in_turn = std::ranges::count_if(machines_, [](const Machine& m) { return m.node.turn.has_value(); });
    EXPECT_LE(static_cast<std::size_t>(in_turn), order_.wave);
  }

  // What a node does, and what is scheduled to it.
  void Go(Machine& machine, bool is_quiet) {
    RebootNode& node = machine.node;
    const std::string boot = std::to_string(machine.boot);
    if (!node.ready) node.ready = is_quiet || random_.OneIn(3);
    if (machine.asked && (is_quiet || random_.OneIn(2))) {
      Boot(machine);
    } else if (machine.waits && node.approved == boot && node.cordoned && !node.operator_asked &&
               (is_quiet || random_.OneIn(2))) {
      EXPECT_TRUE(machine.pods.empty() || machine.was_uncordoned) << "asked Windows before its pods were gone";
      EXPECT_TRUE(restarts_.insert(node.name + "/" + boot).second) << "two restarts for one boot";
      machine.asked = true;
      machine.waits = false;
      ++machine.version;
    }
    if (!node.cordoned && machine.pods.empty()) machine.pods.push_back(Pod("web"));
  }
  void Boot(Machine& machine) {
    machine.boot = ++boots_;
    machine.waits = machine.asked = false;
    machine.node.ready = false;
    ++machine.version;
  }

  // Something that others do, perhaps.
  void Happen() {
    if (machines_.empty() || !random_.OneIn(3)) return;
    Machine& machine = machines_[random_.Below(machines_.size())];
    RebootNode& node = machine.node;
    ++machine.version;
    switch (random_.Below(9)) {
      case 0:  // a person cordons it
        if (node.cordoned) break;
        node.cordoned = machine.is_cordoned_by_others = true;
        break;
      case 1:  // or uncordons it, whosever the cordon was
        node.cordoned = machine.is_cordoned_by_others = false;
        machine.was_uncordoned = true;
        break;
      case 2:
        Boot(machine);
        break;
      case 3:
        machine.waits = !machine.asked && !random_.OneIn(3);  // or its window closes
        break;
      case 4:
        machine.is_silent = !machine.is_silent;
        break;
      case 5:
        node.operator_asked = !node.operator_asked;
        break;
      case 6:
        if (!machine.pods.empty()) machine.pods[0].has_owner = random_.OneIn(2);
        break;
      case 7:
        if (machines_.size() > 2 && random_.OneIn(3)) machines_.erase(machines_.begin());
        break;
      default:
        Add(fmt::format("win-{}", ++added_ + 100));
        break;
    }
  }

  differential::Random random_;
  RebootOrder order_;
  RebootProgress progress_;
  std::vector<Machine> machines_;
  std::set<std::string> approvals_, restarts_;
  std::int64_t now_ = kRebootNow;
  int boots_ = 0, added_ = 0;
};

TEST(RebootPlan, WhateverHappensNodesTakeTurnsAndNothingIsLeft) {
  const std::uint64_t seed = differential::Seed("RebootPlan");
  for (std::uint64_t i = 0; i < 2000; ++i) {
    World world(seed + i);
    ASSERT_TRUE(world.Live()) << seed + i;
    world.ExpectNothingOfOurs();
    if (testing::Test::HasFailure()) FAIL() << "PROVISIONER_DIFFERENTIAL_SEED=" << seed + i;
  }
}

}  // namespace
}  // namespace prov::fleet
