// hosts.toml files that can't be read or written, and runs with them that are cut short.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "tests/reconcile/file_items.h"
#include "tests/support/finding_codes.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using registries::ForAll;
using registries::Source;
using testing::Contains;
using testing::ElementsAre;
using testing_support::CodesOf;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::Unflushed;

// A machine with a file of others, closed, and one run of ours; the next one changes, adds and takes away files.
struct TwoRuns {
  MemoryMachine start;
  MemoryMachine::Content foreign;
  DesiredState second;

  TwoRuns() {
    PutContainerd(start);
    start.PutFileOf(kQuay, "server = 'https://theirs.example'\n");
    start.CloseFileOf(kQuay);
    foreign = start.content();
    MustApply(start, DesiredFiles(ConfigWith({Source("quay.io", {ForAll("a.example")}),
                                              Source("old.example:5000", {ForAll("m.example")})})));
    start.Boot(Unflushed::kKept);
    start.file_calls = 0;
    second = WithProxy(DesiredFiles(
        ConfigWith({Source("quay.io", {ForAll("m.example")}), Source("new.example", {ForAll("b.example")})})));
  }
};

// Runs `run` on copies of `start` to its end, and then with each call of a file failing, before or after its effect: it
// succeeds all the same. `look` gets what each run left, and what the whole one did; nothing fails any more.
void FailAtEveryFileCall(MemoryMachine start, const std::function<bool(MemoryMachine&)>& run,
                         const std::function<void(MemoryMachine& memory, const MemoryMachine& whole)>& look) {
  start.file_calls = 0;
  MemoryMachine whole = start;
  ASSERT_TRUE(run(whole));
  for (std::size_t call = 0; call < whole.file_calls; ++call) {
    for (const bool late : {false, true}) {
      MemoryMachine memory = start;
      memory.fail_file_at = call;
      memory.fails_late = late;
      const bool done = run(memory);
      SCOPED_TRACE(fmt::format("{} {} late: {}", call, memory.failed_call, late));
      ASSERT_TRUE(done);
      memory.fail_file_at = MemoryMachine::kNever;
      look(memory, whole);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// Which run fails at which call of which port makes no difference: everything else is applied, what is recorded is
// true, and the next run gets there.
TEST(FileFailures, FailingAtEveryCallOfAFileTheRestGoesOnAndTheNextRunGetsThere) {
  const TwoRuns runs;
  MemoryMachine wanted = runs.start;
  MustApply(wanted, runs.second);
  ASSERT_GT(wanted.file_calls, 20U);
  std::size_t reported = 0;
  for (std::size_t call = 0; call < wanted.file_calls; ++call) {
    for (const bool late : {false, true}) {
      MemoryMachine memory = runs.start;
      memory.fail_file_at = call;
      memory.fails_late = late;
      const auto plan = ApplyTo(memory, runs.second);
      SCOPED_TRACE(fmt::format("{} {} late: {}", call, memory.failed_call, late));
      ASSERT_TRUE(plan) << plan.error().message;
      ASSERT_EQ(memory.content().keys, wanted.content().keys);
      const auto codes = CodesOf(plan->findings);
      reported += static_cast<std::size_t>(std::ranges::count(codes, "registry-file"));
      const bool is_whole = memory.content().files == wanted.content().files;
      EXPECT_TRUE(is_whole || std::ranges::count(codes, "registry-file") > 0);
      for (const std::string& drift : DriftOf(memory)) {
        ASSERT_THAT(drift, testing::EndsWith(" missing")) << "gone, and its folder is still to go";
        ASSERT_THAT(codes, Contains("registry-file"));
      }
      memory.fail_file_at = MemoryMachine::kNever;
      MemoryMachine removed = memory;
      ASSERT_TRUE(ApplyTo(memory, runs.second));
      ASSERT_EQ(memory.content().Text(), wanted.content().Text());
      ASSERT_FALSE(MustApply(memory, runs.second).HasWork());
      for (MemoryMachine* one : {&memory, &removed}) {
        ASSERT_TRUE(ApplyTo(*one, NothingDesired()));
        ASSERT_EQ(one->content().Text(), runs.foreign.Text());
      }
    }
  }
  EXPECT_GT(reported, 20U);
}

// A round tries a file that can't be written again and again. That is no run to take back.
TEST(FileFailures, AFileThatKeepsFailingDoesNotTakeThePlaceOfTheLastRun) {
  MemoryMachine memory;
  PutContainerd(memory);
  const auto before = memory.content();
  const DesiredState desired = WithProxy(DesiredFiles());
  memory.unsafe_files.insert(AsciiLower(kQuay));
  MustApply(memory, desired);
  const auto last = memory.Section(kLastSection);
  for (int round = 0; round < 2; ++round) {
    const Plan plan = MustApply(memory, desired, {.leaves_out_refused = true});
    EXPECT_THAT(CodesOf(plan.findings), ElementsAre("registry-file"));
    EXPECT_EQ(memory.Section(kLastSection), last);
  }
  memory.unsafe_files.clear();
  machine::Machine machine = memory.Ports();
  const auto plan = Must(MakePlan(machine, desired, LoadLedger(machine.state).value(), {}));
  memory.unsafe_files.insert(AsciiLower(kQuay));  // between the plan and its execution
  const auto report = Must(CarryOut(machine, plan, {}));
  EXPECT_EQ(report.writes, 0U);
  EXPECT_EQ(memory.Section(kLastSection), last);
  const auto change = std::ranges::find(report.changes, kQuay, &Change::name);
  ASSERT_NE(change, report.changes.end());
  EXPECT_EQ(change->reason, "could not be set");
  memory.unsafe_files.clear();
  MustRollBack(memory);
  MustApply(memory, NothingDesired());
  EXPECT_EQ(memory.content().Text(), before.Text());
}

TEST(FileFailures, ARemovalOrARollbackThatFailsAtAnyCallOfAFileIsMadeUpForByARemoval) {
  const TwoRuns runs;
  MemoryMachine start = runs.start;
  MustApply(start, runs.second);
  start.Boot(Unflushed::kKept);
  for (const bool rollback : {false, true}) {
    const auto run = [&](MemoryMachine& memory) {
      machine::Machine machine = memory.Ports();
      Findings findings;
      if (rollback) return Rollback(machine, findings).has_value();
      return ApplyTo(memory, NothingDesired()).has_value();
    };
    SCOPED_TRACE(rollback ? "rollback" : "removal");
    FailAtEveryFileCall(start, run, [&](MemoryMachine& memory, const MemoryMachine& whole) {
      ASSERT_GT(whole.file_calls, 10U);
      ASSERT_EQ(memory.content().keys, whole.content().keys);
      ASSERT_TRUE(ApplyTo(memory, NothingDesired()));
      ASSERT_EQ(memory.content().Text(), runs.foreign.Text());
    });
  }
}

// A trial, too, can be confirmed or taken back when a file fails.
TEST(FileFailures, ATrialThatFailsAtAnyCallOfAFileIsTakenBackOrConfirmed) {
  const TwoRuns runs;
  MemoryMachine wanted = runs.start;
  MustApply(wanted, runs.second);
  for (const bool confirmed : {false, true}) {
    MemoryMachine open = runs.start;
    ASSERT_TRUE(ApplyTo(open, runs.second, {}, true));
    const auto end = [&](MemoryMachine& memory) {
      machine::Machine machine = memory.Ports();
      Findings findings;
      return (confirmed ? Confirm(machine, findings) : EndWhatIsOpen(machine, findings)).has_value();
    };
    SCOPED_TRACE(confirmed ? "confirmed" : "taken back");
    FailAtEveryFileCall(open, end, [&](MemoryMachine& memory, const MemoryMachine& whole) {
      ASSERT_EQ(whole.content().Text(), (confirmed ? wanted : runs.start).content().Text());
      ASSERT_TRUE(ApplyTo(memory, runs.second));
      ASSERT_EQ(memory.content().Text(), wanted.content().Text());
      ASSERT_TRUE(ApplyTo(memory, NothingDesired()));
      ASSERT_EQ(memory.content().Text(), runs.foreign.Text());
    });
  }
}

// An interrupted run whose file became one that others may change: the next command finishes it all the same.
TEST(FileFailures, AnInterruptedRunIsFinishedThoughAFileIsRefusedMeanwhile) {
  const TwoRuns runs;
  MemoryMachine wanted = runs.start;
  MustApply(wanted, runs.second);
  const std::size_t calls = wanted.calls;
  for (std::size_t call = 0; call < calls; ++call) {
    for (const std::string_view refused :
         {kQuay, kQuayCa, std::string_view(R"(C:\certs.d\old.example_5000_\hosts.toml)")}) {
      MemoryMachine memory = runs.start;
      memory.stop_after = call;
      ASSERT_THROW((void)ApplyTo(memory, runs.second), PowerFailure) << call;
      memory.Boot(Unflushed::kLost);
      memory.unsafe_files.insert(AsciiLower(refused));
      SCOPED_TRACE(fmt::format("{} {}", call, refused));
      Must(ApplyTo(memory, runs.second));
      ASSERT_EQ(memory.content().keys, wanted.content().keys);
      machine::Machine machine = memory.Ports();
      ASSERT_FALSE(LoadJournal(machine.state).value()) << "nothing is left open";
      memory.unsafe_files.clear();
      ASSERT_TRUE(ApplyTo(memory, runs.second));
      ASSERT_EQ(memory.content().Text(), wanted.content().Text());
      ASSERT_TRUE(ApplyTo(memory, NothingDesired()));
      ASSERT_EQ(memory.content().Text(), runs.foreign.Text());
    }
  }
}

// From one set of files to another, or to none, stopped at every call.
TEST(FileFailures, StoppedAtEveryCallTheNextRunGetsThere) {
  const TwoRuns runs;
  for (const DesiredState& desired : {runs.second, NothingDesired()}) {
    MemoryMachine start = runs.start;
    start.calls = 0;
    MemoryMachine whole = start;
    MustApply(whole, desired);
    ASSERT_GT(whole.calls, 10U);
    for (std::size_t call = 0; call < whole.calls; ++call) {
      for (const bool before : {true, false}) {
        for (const Unflushed unflushed : {Unflushed::kKept, Unflushed::kLost}) {
          MemoryMachine memory = start;
          (before ? memory.stop_before : memory.stop_after) = call;
          ASSERT_THROW((void)ApplyTo(memory, desired), PowerFailure) << call;
          memory.Boot(unflushed);
          ASSERT_TRUE(ApplyTo(memory, desired)) << call;
          ASSERT_EQ(memory.content().Text(), whole.content().Text()) << call;
          ASSERT_TRUE(ApplyTo(memory, NothingDesired())) << call;
          ASSERT_EQ(memory.content().Text(), runs.foreign.Text()) << call;
        }
      }
    }
  }
}

}  // namespace
}  // namespace prov::reconcile
