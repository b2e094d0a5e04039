#include "provisioner/node/service_loop.h"

#include <algorithm>
#include <set>

#include "provisioner/node/first_boot.h"
#include "provisioner/node/records.h"
#include "tests/node/node_helpers.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using machine::Event;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ServiceLoop : public RoundTest {
 protected:
  ServiceLoop() {
    OpenNode n = node();
    const Delivery delivery{{.source = {.source = "kube:///worker", .kubeconfig = R"(C:\k)"}}, true, {}};
    EXPECT_TRUE(FirstBoot(n, SampleSettings(), delivery, {}));
    host_.events_written.clear();
  }
};

TEST_F(ServiceLoop, AChangeIsAppliedAsSoonAsItIsSeen) {
  std::vector<std::int64_t> waits;
  const ChangeWaiter wait = [&](std::int64_t milliseconds) {
    waits.push_back(milliseconds);
    if (waits.size() == 1) source_ = OtherSettings();
    return waits.size() < 3;
  };
  std::vector<std::size_t> writes;
  const std::int64_t before = host_.now;
  Loop(host_, Reader(),
       {.interval_seconds = 300,
        .on_report = [&](const RoundReport& report) { writes.push_back(report.run.writes); },
        .wait = wait});
  EXPECT_THAT(waits, ElementsAre(300'000, 300'000, 300'000));
  EXPECT_THAT(asked_, SizeIs(3));
  ASSERT_THAT(writes, SizeIs(2));
  EXPECT_GT(writes[1], 0U);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
  EXPECT_EQ(host_.now, before) << "the clock was asked to wait, too";
  EXPECT_EQ(host_.EventIds().back(), static_cast<std::uint16_t>(Event::kServiceStopped));
}

TEST_F(ServiceLoop, ABusyMachineIsNoMatterOfTheSource) {
  host_.locked = true;
  host_.waits_left = 2;
  int waits = 0;
  const ChangeWaiter wait = [&](std::int64_t) {
    ++waits;
    return true;
  };
  Loop(host_, Reader(), {.interval_seconds = 300, .wait = wait});
  EXPECT_EQ(waits, 0) << "the loop ended by the clock";
  EXPECT_THAT(asked_, IsEmpty());
}

TEST(DailyLimit, EachCauseIsDueOnceAndAgainAfterADay) {
  DailyLimit limit;
  std::int64_t now = 0;
  EXPECT_TRUE(limit.IsDue("no right to watch", now));
  EXPECT_FALSE(limit.IsDue("no right to watch", now));
  EXPECT_TRUE(limit.IsDue("overloaded", now));
  EXPECT_FALSE(limit.IsDue("no right to watch", now));
  now += 86400 - 1;
  EXPECT_FALSE(limit.IsDue("overloaded", now)) << "the same trouble, still";
  now += 86400;
  EXPECT_TRUE(limit.IsDue("overloaded", now)) << "it was gone for a day";
}

TEST_F(ServiceLoop, WhileTheSourceIsReadTheMachineIsFree) {
  const SettingsReader read = [&](const SettingsSpec&) -> Result<Settings> {
    EXPECT_TRUE(host_.Open(machine::Access::kWrite)) << "rollback and confirm would be refused";
    return OtherSettings();
  };
  const auto round = RunRound(host_, read);
  ASSERT_TRUE(round && *round);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
}

TEST_F(ServiceLoop, WhatOthersDoWhileTheSourceIsReadCounts) {
  const SettingsReader stored = [&](const SettingsSpec&) -> Result<Settings> {
    OpenNode n = node();
    EXPECT_TRUE(SaveSource(n.machine.state, {SpecOf("another"), true, false}));
    return OtherSettings();
  };
  EXPECT_EQ(ErrorIn(RunRound(host_, stored)).code, Code::kLock);
  const SettingsReader tried = [&](const SettingsSpec&) -> Result<Settings> {
    OpenNode n = node();
    EXPECT_TRUE(TrySettings(n, OtherSettings(), {}, 60));
    return SampleSettings();
  };
  const auto held = RunRound(host_, tried);
  ASSERT_TRUE(held && *held);
  EXPECT_TRUE((*held)->held);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
}

TEST_F(ServiceLoop, AStopWhileTheSourceIsReadIsNoTroubleOfTheSource) {
  host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
  const SettingsReader stopped = [&](const SettingsSpec&) -> Result<Settings> {
    host_.stopped = true;
    return Fail(Code::kNetwork, "stopped", "kube:///worker");
  };
  host_.memory.log.clear();
  Loop(host_, stopped, {.interval_seconds = 300, .wait = [](std::int64_t) { return true; }});
  EXPECT_FALSE(Variable("HTTP_PROXY")) << "nothing is written after a stop";
  EXPECT_THAT(host_.EventIds(), ElementsAre(static_cast<std::uint16_t>(Event::kServiceStarted),
                                            static_cast<std::uint16_t>(Event::kServiceStopped)));
}

TEST_F(ServiceLoop, ThatAnotherRunIsAtWorkIsNoFailureBeforeItHasLastedForMinutes) {
  std::vector<Code> failed;
  const LoopOptions options{.on_failure = [&](const Error& error) { failed.push_back(error.code); }};
  const auto busy = static_cast<std::uint16_t>(static_cast<int>(Event::kFailure) + InfoOf(Code::kLock).exit);
  host_.locked = true;
  host_.waits_left = 100;  // of 5 s each
  Loop(host_, Reader(), options);
  EXPECT_THAT(host_.EventIds(), testing::Not(testing::Contains(busy))) << "a first boot takes its time";
  host_.waits_left = 200;
  Loop(host_, Reader(), options);
  EXPECT_THAT(failed, ElementsAre(Code::kLock));
  host_.events_written.clear();
  host_.waits_left = 3 * 17'280;
  Loop(host_, Reader(), options);
  EXPECT_EQ(std::ranges::count(host_.EventIds(), busy), 3) << "and then each day";
}

TEST_F(ServiceLoop, AFailureThatStandsIsLoggedAgainEachDay) {
  source_ = Fail(Code::kNotFound, "gone", "payload");
  host_.waits_left = 3 * 24 + 1;
  std::size_t told = 0;
  Loop(host_, Reader(), {.interval_seconds = 3600, .on_report = [&](const RoundReport&) { ++told; }});
  const auto is_told = [](const auto& event) { return event.second.starts_with("[source-unavailable]"); };
  EXPECT_EQ(std::ranges::count_if(host_.events_written, is_told), 4) << "at once, and after one, two and three days";
  EXPECT_EQ(told, 4U);
  // What is as it shall be is told once.
  source_ = SampleSettings();
  const auto events = [&](std::size_t waits) {
    host_.events_written.clear();
    host_.waits_left = waits;
    Loop(host_, Reader(), {.interval_seconds = 3600});
    return host_.events_written.size();
  };
  EXPECT_EQ(events(0), events(3 * 24 + 1));
}

TEST_F(ServiceLoop, ARoundThatFailsIsToldToWhoWatches) {
  ASSERT_TRUE(SaveSource(host_.memory.State(), {SpecOf("another"), true, false}));
  ASSERT_TRUE(Forget(host_.memory.State(), kSettingsSection));
  source_ = Fail(Code::kNetwork, "no route", "kube:///worker");
  host_.waits_left = 3;
  std::vector<std::string> failed;
  Loop(host_, Reader(), {.on_failure = [&](const Error& error) { failed.push_back(error.message); }});
  EXPECT_THAT(failed, ElementsAre("no route"));
}

TEST_F(ServiceLoop, TheIntervalIsTheOneGivenElseTheStoredOneElseAMinute) {
  const auto pause = [&](std::int64_t given) {
    std::int64_t out = 0;
    const ChangeWaiter wait = [&](std::int64_t milliseconds) {
      out = milliseconds;
      return false;
    };
    Loop(host_, Reader(), {.interval_seconds = given, .wait = wait});
    return out;
  };
  EXPECT_EQ(pause(0), 60'000);
  ASSERT_TRUE(Remember(host_.memory.State(), kServiceSection, ServiceJson({.interval_seconds = 900})));
  EXPECT_EQ(pause(0), 900'000);
  EXPECT_EQ(pause(300), 300'000);
}

TEST(Jitter, StaysWithinATenthAndDiffersByMachineAndMoment) {
  std::set<std::int64_t> seen;
  for (const char* machine : {"a", "b", "c", "d"}) {
    for (std::int64_t now = 0; now < 50; ++now) {
      const std::int64_t pause = Jittered(60'000, machine, now);
      EXPECT_GE(pause, 54'000);
      EXPECT_LE(pause, 66'000);
      seen.insert(pause);
    }
  }
  EXPECT_GT(seen.size(), 150U) << "of 200";
  EXPECT_LT(*seen.begin(), 55'000);
  EXPECT_GT(*seen.rbegin(), 65'000);
  EXPECT_EQ(Jittered(60'000, "a", 1), Jittered(60'000, "a", 1));
}

}  // namespace
}  // namespace prov::node
