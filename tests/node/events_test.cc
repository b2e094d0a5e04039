// Each run leaves the events that docs/troubleshooting.md lists, whoever began it.
#include "provisioner/node/events.h"

#include <algorithm>
#include <functional>
#include <set>

#include "provisioner/node/pod_turn.h"
#include "provisioner/node/service_loop.h"
#include "tests/node/node_helpers.h"
#include "tests/support/memory_machine.h"

namespace prov::node {
namespace {

using machine::Event;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing_support::MemoryHost;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::Unflushed;

class Events : public NodeTest {
 protected:
  // The kinds of events since the last call, by number.
  std::set<Event> Logged() {
    std::set<Event> out;
    for (const std::uint16_t id : host_.EventIds()) out.insert(static_cast<Event>(id));
    host_.events_written.clear();
    return out;
  }
  void Apply(const Settings& settings) {
    OpenNode n = node();
    const auto report = ApplyToMachine(n, Derive(settings).value(), {});
    ASSERT_TRUE(report) << report.error().message;
  }
  bool Try(const Settings& settings) {
    const TrialOptions trial{5, {}, [&](std::int64_t) { return host_.Open(machine::Access::kWrite); }};
    const auto tried = RunTrial(host_, Derive(settings).value(), {}, trial);
    EXPECT_TRUE(tried) << tried.error().message;
    return tried && tried->stays;
  }
  void Round(const Settings& settings) {
    const auto read = [&](const SettingsSpec&) -> Result<Settings> { return settings; };
    host_.waits_left = 0;
    Loop(host_, read, {});
  }
  // Stops the command as soon as it has written its journal.
  void CutShort(const std::function<void(OpenNode& node)>& command) {
    const MemoryHost start = host_;
    for (std::size_t call = start.memory.calls;; ++call) {
      host_ = start;
      host_.memory.stop_after = call;
      OpenNode cut = node();
      ASSERT_THROW(command(cut), PowerFailure) << call;
      host_.memory.stop_after = MemoryMachine::kNever;
      if (reconcile::LoadJournal(host_.memory.State()).value()) break;
    }
    host_.events_written.clear();
  }
};

TEST_F(Events, OfAnApply) {
  Apply(SampleSettings());
  EXPECT_THAT(Logged(), ElementsAre(Event::kApplied, Event::kRebootRequired));
  Apply(SampleSettings());
  EXPECT_THAT(Logged(), ElementsAre(Event::kNothingToDo));
}

TEST_F(Events, OfATrialThatExpires) {
  host_.waits_left = 100;
  host_.during_wait = [&] {
    if (host_.events_written.empty()) return;
    EXPECT_THAT(Logged(), ElementsAre(Event::kApplied)) << "a reboot would end it";
  };
  EXPECT_FALSE(Try(SampleSettings()));
  EXPECT_THAT(Logged(), ElementsAre(Event::kRolledBack));
  Apply(SampleSettings());
  Logged();
  EXPECT_TRUE(Try(SampleSettings()));
  EXPECT_THAT(Logged(), ElementsAre(Event::kNothingToDo)) << "nothing differs, so nothing is tried";
}

TEST_F(Events, OfATrialThatIsConfirmed) {
  host_.waits_left = 100;
  host_.during_wait = [&] {
    Logged();
    OpenNode n = node();
    EXPECT_TRUE(ConfirmTrial(n));
  };
  EXPECT_TRUE(Try(SampleSettings()));
  EXPECT_THAT(Logged(), ElementsAre(Event::kApplied, Event::kRebootRequired));
}

TEST_F(Events, OfATrialThatARoundTakesBack) {
  OpenNode n = node();
  ASSERT_TRUE(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}));
  host_.memory.Boot(Unflushed::kKept);
  ASSERT_TRUE(TrySettings(n, OtherSettings(), {}, 60));
  host_.now += 61;
  Logged();
  Round(OtherSettings());
  EXPECT_THAT(Logged(), ElementsAre(Event::kRolledBack, Event::kHeld, Event::kServiceStarted, Event::kServiceStopped));
}

TEST_F(Events, OfARollback) {
  Apply(SampleSettings());
  Logged();
  OpenNode n = node();
  ASSERT_TRUE(RollBackMachine(n));
  EXPECT_THAT(Logged(), ElementsAre(Event::kRebootRequired, Event::kRolledBack));
}

TEST_F(Events, OfAnInterruptedRunThatTheNextOneFinishes) {
  CutShort([](OpenNode& n) { (void)ApplySettings(n, SampleSettings(), {}); });
  Apply(SampleSettings());
  EXPECT_THAT(Logged(), ElementsAre(Event::kNothingToDo, Event::kRecovered));
  CutShort([](OpenNode& n) { (void)Rollback(n); });
  OpenNode n = node();
  ASSERT_TRUE(RollBackMachine(n));
  EXPECT_THAT(Logged(), ElementsAre(Event::kRebootRequired, Event::kRolledBack, Event::kRecovered));
}

TEST_F(Events, OfADamagedFileOncePerFile) {
  const auto recovered = [&] {
    return std::ranges::count(host_.EventIds(), static_cast<std::uint16_t>(Event::kRecovered));
  };
  Apply(SampleSettings());
  host_.memory.files().at("state.json").resize(40);
  Apply(SampleSettings());
  EXPECT_EQ(recovered(), 1);
  host_.events_written.clear();
  host_.memory.files().at("state.json").resize(40);
  UpgradePause pause;
  ASSERT_TRUE(TakeTurn(host_, SpecOf("kube:///worker"), pause));
  EXPECT_EQ(recovered(), 1);
}

TEST_F(Events, OfARebootLoop) {
  OpenNode n = node();
  ASSERT_TRUE(FirstBoot(n, SampleSettings(), {SpecOf("payload"), true, {}}, {}));
  for (int boot = 1; boot <= 4; ++boot) {
    EXPECT_THAT(Logged(), Not(Contains(Event::kRebootLoop)));
    host_.memory.Boot(Unflushed::kKept);
    host_.memory.Erase(reconcile::kEnv, "HTTP_PROXY");
    Round(SampleSettings());
  }
  EXPECT_THAT(Logged(), ElementsAre(Event::kRebootLoop, Event::kServiceStarted, Event::kServiceStopped));
}

}  // namespace
}  // namespace prov::node
