#include "provisioner/node/reboot_request.h"

#include "tests/node/node_helpers.h"
#include "tests/support/memory_machine.h"

namespace prov::node {
namespace {

using testing_support::Unflushed;

struct FakeOperator final : DrainOperator {
  Result<NodeReboots> Read() override { return said; }
  Result<void> Request() override {
    ++asked;
    return answer;
  }

  Result<NodeReboots> said = NodeReboots();
  Result<void> answer = {};
  int asked = 0;
};

// A machine that needs a reboot.
class ChosenReboots : public NodeTest {
 protected:
  ChosenReboots() { Change(SampleSettings()); }

  void Change(const Settings& settings) {
    OpenNode n = node();
    const auto report = ApplySettings(n, settings, {});
    ASSERT_TRUE(report) << report.error().message;
  }
  // The operator comes to it.
  void PutOperator() { host_.memory.PutKey(reconcile::kDaemonKey); }
  // The code of what was found.
  std::string Choose(const RebootChoice& choice, bool is_node = true) {
    OpenNode n = node();
    Findings findings;
    const auto requested = RequestChosenReboot(n, choice, is_node ? &operator_ : nullptr, findings);
    if (!requested) return requested.error().message;
    return findings.empty() ? std::string() : std::string(findings.back().code);
  }
  RebootChoice InWindow(std::string_view window) {
    return {RebootMethod::kNow, ParseMaintenanceWindow(window, "window").value()};
  }

  const RebootChoice now_{RebootMethod::kNow, {}};
  const RebootChoice annotate_{RebootMethod::kAnnotate, {}};
  const RebootChoice drain_{RebootMethod::kDrain, {}};
  FakeOperator operator_;
};

TEST_F(ChosenReboots, NothingIsRequestedWithoutAChoice) {
  EXPECT_EQ(Choose({}), "");
  EXPECT_EQ(operator_.asked, 0);
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
}

TEST_F(ChosenReboots, TheOperatorIsAskedOnceInEachBoot) {
  PutOperator();
  EXPECT_EQ(Choose(annotate_), "reboot-asked");
  EXPECT_EQ(Choose(annotate_), "reboot-asked");
  EXPECT_EQ(operator_.asked, 1);
  EXPECT_EQ(Choose(now_), "reboot-asked");
  EXPECT_EQ(host_.reboot_reason, std::nullopt) << "never both";
  host_.memory.Boot(Unflushed::kKept);
  EXPECT_EQ(Choose(annotate_), "") << "nothing is needed any more";
  EXPECT_EQ(operator_.asked, 1);
}

TEST_F(ChosenReboots, OfOneBootAreEnoughForLaterChanges) {
  EXPECT_EQ(Choose(now_), "reboot-asked");
  host_.reboot_reason.reset();
  Change(OtherSettings());
  EXPECT_EQ(Choose(now_), "reboot-asked");
  EXPECT_EQ(host_.reboot_reason, std::nullopt) << "it was requested before";
  host_.memory.Boot(Unflushed::kKept);
  Change(SampleSettings(3));
  EXPECT_EQ(Choose(now_), "reboot-asked");
  EXPECT_NE(host_.reboot_reason, std::nullopt) << "another boot, another change";
}

// A kill after Windows was asked must not make it two.
TEST_F(ChosenReboots, OfWindowsAreRecordedBeforeTheyAreRequested) {
  host_.counts_calls = true;
  for (std::size_t step = 0;; ++step) {
    testing_support::MemoryHost host = host_;
    host.memory.stop_after = host.memory.calls + step;
    OpenNode n = NodeOn(host);
    Findings findings;
    ASSERT_THROW((void)RequestChosenReboot(n, now_, nullptr, findings), testing_support::PowerFailure);
    if (!host.reboot_reason) continue;
    EXPECT_TRUE(host.memory.Section(kRebootRequestSection));
    break;
  }
}

TEST_F(ChosenReboots, ARemovalForgetsThem) {
  Choose(now_);
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(HasSection(kRebootRequestSection));
}

TEST_F(ChosenReboots, WithoutTheOperatorNobodyIsAsked) {
  EXPECT_EQ(Choose(annotate_), "reboot-annotate");
  EXPECT_EQ(operator_.asked, 0);
}

TEST_F(ChosenReboots, ARefusalIsAnErrorAndTriedAgain) {
  PutOperator();
  operator_.answer = Fail(Code::kNetwork, "forbidden");
  EXPECT_EQ(Choose(annotate_), "forbidden");
  operator_.answer = {};
  EXPECT_EQ(Choose(annotate_), "reboot-asked");
  EXPECT_EQ(operator_.asked, 2);
}

// The operator's daemon asks after changes of its own. The operator takes the annotation away after that reboot, and
// with it what was asked for meanwhile.
TEST_F(ChosenReboots, WhileTheOperatorHasItBootNobodyElseAsks) {
  PutOperator();
  operator_.said->operator_asked = true;
  EXPECT_EQ(Choose(annotate_), "reboot-waits");
  EXPECT_EQ(Choose(now_), "reboot-waits");
  EXPECT_EQ(operator_.asked, 0);
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  operator_.said->operator_asked = false;
  EXPECT_EQ(Choose(annotate_), "reboot-asked") << "it is gone, and the need stands";
}

TEST_F(ChosenReboots, AnOperatorThatCantBeAskedKeepsNoRebootFromWindows) {
  PutOperator();
  operator_.said = Fail(Code::kNetwork, "no route");
  EXPECT_EQ(Choose(now_), "reboot-asked");
  EXPECT_NE(host_.reboot_reason, std::nullopt);
}

TEST_F(ChosenReboots, AMachineThatIsNoKnownNodeCanRebootByItself) {
  EXPECT_EQ(Choose(now_, false), "reboot-asked");
  EXPECT_NE(host_.reboot_reason, std::nullopt);
}

TEST_F(ChosenReboots, ADrainedOneWaitsForTheApprovalOfThisBoot) {
  EXPECT_EQ(Choose(drain_), "reboot-waits");
  operator_.said->approved = "0";
  EXPECT_EQ(Choose(drain_), "reboot-waits") << "of another boot";
  operator_.said = Fail(Code::kNetwork, "no route");
  EXPECT_EQ(Choose(drain_), "no route") << "it is not known whether it was drained";
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  operator_.said = NodeReboots{.approved = "1"};
  EXPECT_EQ(Choose(drain_), "reboot-asked");
  EXPECT_NE(host_.reboot_reason, std::nullopt);
  host_.reboot_reason.reset();
  Change(OtherSettings());
  EXPECT_EQ(Choose(drain_), "reboot-asked");
  EXPECT_EQ(host_.reboot_reason, std::nullopt) << "once in each boot";
  host_.memory.Boot(Unflushed::kKept);
  EXPECT_EQ(Choose(drain_), "") << "nothing is needed any more";
  Change(SampleSettings(3));
  EXPECT_EQ(Choose(drain_), "reboot-waits") << "the approval was for the former boot";
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
}

TEST_F(ChosenReboots, ADrainedOneIsLeftToTheOperatorThatWasAsked) {
  operator_.said = NodeReboots{.operator_asked = true, .approved = "1"};
  EXPECT_EQ(Choose(drain_), "reboot-waits") << "also where its daemon is not seen";
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
}

TEST_F(ChosenReboots, ADrainedOneWaitsForItsWindow) {
  const RebootChoice later{RebootMethod::kDrain, ParseMaintenanceWindow("09:00-10:00", "window").value()};
  operator_.said->approved = "1";
  EXPECT_EQ(Choose(later), "reboot-waits");
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  host_.now += 3600;
  EXPECT_EQ(Choose(later), "reboot-asked");
  EXPECT_NE(host_.reboot_reason, std::nullopt);
}

// Windows is asked at most once, wherever a process ends, and the next one asks if the first did not get to it.
TEST_F(ChosenReboots, ADrainedOneIsAskedForOnceWhereverItIsKilled) {
  operator_.said->approved = "1";
  host_.counts_calls = true;
  int asked_at_once = 0, steps = 0;
  for (std::size_t step = 0;; ++step) {
    testing_support::MemoryHost host = host_;
    host.memory.stop_after = host.memory.calls + step;
    OpenNode n = NodeOn(host);
    Findings findings;
    bool killed = false;
    try {
      ASSERT_TRUE(RequestChosenReboot(n, drain_, &operator_, findings));
    } catch (const testing_support::PowerFailure&) {
      killed = true;
    }
    if (!killed) break;
    ++steps;
    const bool asked = host.reboot_reason.has_value();
    host.memory.GoOn();
    host.reboot_reason.reset();
    OpenNode again = NodeOn(host);
    ASSERT_TRUE(BeginRun(again));
    ASSERT_TRUE(RequestChosenReboot(again, drain_, &operator_, findings));
    EXPECT_FALSE(asked && host.reboot_reason) << step;
    asked_at_once += asked || host.reboot_reason ? 1 : 0;
  }
  EXPECT_GT(steps, 3);
  EXPECT_GT(asked_at_once, 0);
}

TEST_F(ChosenReboots, TheWishToBeDrained) {
  const auto wish = [this](const RebootChoice& choice) {
    OpenNode n = node();
    auto out = DrainWishOf(n, choice);
    EXPECT_TRUE(out);
    return out.value_or(std::nullopt);
  };
  const RebootChoice later{RebootMethod::kDrain, ParseMaintenanceWindow("09:00-10:00", "window").value()};
  EXPECT_EQ(wish(now_), std::nullopt);
  EXPECT_EQ(wish(drain_), (DrainWish{"1", true}));
  EXPECT_EQ(wish(later), (DrainWish{"1", false})) << "outside its window";
  operator_.said->approved = "1";
  Choose(drain_);
  EXPECT_EQ(wish(drain_), (DrainWish{"1", false, true})) << "it was requested";
  host_.memory.Boot(Unflushed::kKept);
  EXPECT_EQ(wish(drain_), (DrainWish{"2", false})) << "nothing is needed any more";
}

// Rounds ask the cluster each time, and take the lock only when there is an answer to act on.
TEST_F(ChosenReboots, RoundsTakeNoLockBeforeTheNodeIsDrained) {
  RoundReboots rounds(host_, drain_, &operator_);
  const std::size_t before = host_.memory.calls;
  EXPECT_TRUE(rounds.RequestWhenDue());
  EXPECT_FALSE(HasSection(kRebootRequestSection));
  EXPECT_GT(host_.memory.calls, before);
  host_.locked = true;
  EXPECT_TRUE(rounds.RequestWhenDue());
  host_.locked = false;
  operator_.said->approved = "1";
  EXPECT_TRUE(rounds.RequestWhenDue());
  EXPECT_NE(host_.reboot_reason, std::nullopt);
  EXPECT_TRUE(HasSection(kRebootRequestSection));
}

// 1'800'000'000 is a Friday, 08:00 UTC.
TEST_F(ChosenReboots, ARebootWaitsForItsWindow) {
  EXPECT_EQ(Choose(InWindow("09:00-10:00")), "reboot-waits");
  EXPECT_EQ(host_.reboot_reason, std::nullopt);
  host_.now += 3600;
  EXPECT_EQ(Choose(InWindow("Fri 09:00-10:00")), "reboot-asked");
  EXPECT_NE(host_.reboot_reason, std::nullopt);
}

// The machine is open for writing meanwhile, and nobody else gets at it.
TEST_F(ChosenReboots, RoundsDontAskAgainAtOnceWhatFailed) {
  PutOperator();
  operator_.answer = Fail(Code::kNetwork, "forbidden");
  RoundReboots rounds(host_, annotate_, &operator_);
  EXPECT_FALSE(rounds.RequestWhenDue());
  for (int round = 0; round < 4; ++round) {
    host_.now += 60;
    EXPECT_TRUE(rounds.RequestWhenDue()) << "four rounds in less than five minutes";
  }
  EXPECT_EQ(operator_.asked, 1);
  host_.now += 60;
  EXPECT_FALSE(rounds.RequestWhenDue()) << "and again after the pause";
  operator_.answer = {};
  host_.now += 300;
  EXPECT_TRUE(rounds.RequestWhenDue());
  EXPECT_EQ(operator_.asked, 3);
}

TEST_F(ChosenReboots, RoundsTakeNoLockBeforeTheWindowOpens) {
  RoundReboots rounds(host_, InWindow("08:30-09:00"), nullptr);
  host_.locked = true;
  EXPECT_TRUE(rounds.RequestWhenDue());
  host_.locked = false;
  host_.now += 1800;
  EXPECT_TRUE(rounds.RequestWhenDue());
  EXPECT_NE(host_.reboot_reason, std::nullopt);
  host_.locked = true;
  EXPECT_TRUE(rounds.RequestWhenDue()) << "it was requested";
}

TEST_F(ChosenReboots, RoundsFinishAnInterruptedRunBeforeTheyRecordARequest) {
  const testing_support::MemoryHost start = host_;
  for (std::size_t call = start.memory.calls; !HasFile(machine::kJournalFile); ++call) {
    host_ = start;
    host_.memory.stop_after = call;
    OpenNode cut = node();
    ASSERT_THROW((void)ApplySettings(cut, OtherSettings(), {}), testing_support::PowerFailure) << call;
  }
  host_.memory.GoOn();
  ASSERT_TRUE(RoundReboots(host_, now_, nullptr).RequestWhenDue());
  EXPECT_NE(host_.reboot_reason, std::nullopt);
  EXPECT_TRUE(HasSection(kRebootRequestSection));
  EXPECT_FALSE(HasFile(machine::kJournalFile));
  EXPECT_EQ(Variable("HTTP_PROXY"), "http://other.example.com:8080");
}

TEST_F(ChosenReboots, RoundsReportARequestThatNobodyActsOn) {
  const auto requested = RoundReboots(host_, annotate_, &operator_).RequestWhenDue();
  ASSERT_FALSE(requested);
  EXPECT_THAT(requested.error().message, testing::HasSubstr("use --reboot drain or now"));
}

}  // namespace
}  // namespace prov::node
