#include "provisioner/node/service_loop.h"

#include "provisioner/node/first_boot.h"
#include "tests/node/node_helpers.h"

namespace prov::node {
namespace {

using machine::Event;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ServiceLoop : public NodeTest {
 protected:
  ServiceLoop() {
    OpenNode n = node();
    const Delivery delivery{{"kube:///worker", "--kubeconfig=C:\\k"}, true, {}};
    EXPECT_TRUE(FirstBoot(n, SampleSettings(), delivery, {}));
    host_.events_written.clear();
  }

  SettingsReader Reader() {
    return [this](const SourceWords& words) {
      asked_.push_back(words);
      return source_;
    };
  }

  Result<Settings> source_ = SampleSettings();
  std::vector<SourceWords> asked_;
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
  Loop(host_, Reader(), 300, [&](const RoundReport& report) { writes.push_back(report.session.writes); }, wait);
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
  Loop(host_, Reader(), 300, {}, [&](std::int64_t) {
    ++waits;
    return true;
  });
  EXPECT_EQ(waits, 0) << "the loop ended by the clock";
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(ServiceLoop, AWatchThatFailsIsLoggedOnceForEachCause) {
  WatchLog log(host_);
  for (const char* message : {"no right to watch", "no right to watch", "overloaded", "no right to watch"}) {
    log.Write({Code::kNetwork, message, "x"});
  }
  EXPECT_THAT(host_.EventIds(), SizeIs(2));
  EXPECT_THAT(host_.EventIds(), Each(static_cast<std::uint16_t>(Event::kSourceUnavailable)));
  EXPECT_THAT(host_.events_written[1].second, HasSubstr("overloaded"));
  host_.now += 86400 - 1;
  log.Write({Code::kNetwork, "overloaded", "x"});
  EXPECT_THAT(host_.EventIds(), SizeIs(2)) << "the same trouble, still";
  host_.now += 86400;
  log.Write({Code::kNetwork, "overloaded", "x"});
  EXPECT_THAT(host_.EventIds(), SizeIs(3)) << "it was gone for a day";
}

TEST_F(ServiceLoop, WhileTheSourceIsReadTheMachineIsFree) {
  const SettingsReader read = [&](const SourceWords&) -> Result<Settings> {
    EXPECT_TRUE(host_.Open(machine::Access::kWrite)) << "rollback and confirm would be refused";
    return OtherSettings();
  };
  const auto round = RunRound(host_, read);
  ASSERT_TRUE(round && *round);
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
}

TEST_F(ServiceLoop, WhatOthersDoWhileTheSourceIsReadCounts) {
  const SettingsReader stored = [&](const SourceWords&) -> Result<Settings> {
    OpenNode n = node();
    EXPECT_TRUE(SaveSource(n.machine.state, {{"another"}, true, false}));
    return OtherSettings();
  };
  const auto refused = RunRound(host_, stored);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kLock);
  const SettingsReader tried = [&](const SourceWords&) -> Result<Settings> {
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
  const SettingsReader stopped = [&](const SourceWords&) -> Result<Settings> {
    host_.stopped = true;
    return Fail(Code::kNetwork, "stopped", "kube:///worker");
  };
  host_.memory.log.clear();
  Loop(host_, stopped, 300, {}, [](std::int64_t) { return true; });
  EXPECT_FALSE(Variable("HTTP_PROXY")) << "nothing is written after a stop";
  EXPECT_THAT(host_.EventIds(), ElementsAre(static_cast<std::uint16_t>(Event::kServiceStarted),
                                            static_cast<std::uint16_t>(Event::kServiceStopped)));
}

}  // namespace
}  // namespace prov::node
