// --wait-lock: a command waits for another run instead of exit code 15.
#include <gmock/gmock.h>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using machine_commands::MachineCommands;
using testing::HasSubstr;

class LockWaiting : public MachineCommands {
 protected:
  // Another run holds the lock for this long.
  void LockFor(std::int64_t seconds) {
    host_.locked = true;
    host_.waits_left = 10'000;
    const std::int64_t end = host_.now + seconds;
    host_.during_wait = [this, end] { host_.locked = host_.now < end; };
  }
  // What the command says of a lock that nobody gives back.
  std::string Refusal(Command (*make)(), const std::vector<std::string>& words) {
    LockFor(1'000'000);
    const auto out = Run(make, words);
    EXPECT_FALSE(out);
    if (out) return {};
    EXPECT_EQ(out.error().code, Code::kLock);
    return out.error().message;
  }
};

TEST_F(LockWaiting, EachCommandThatWritesWaitsAsLongAsItIsTold) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  const std::vector<std::pair<Command (*)(), std::vector<std::string>>> commands = {
      {ApplyCommand, {source_}},
      {ReconcileCommand, {"--once"}},
      {RollbackCommand, {}},
      {RemoveCommand, {}},
  };
  for (auto [make, words] : commands) {
    EXPECT_THAT(Refusal(make, words), testing::Not(HasSubstr("within"))) << "it waits for nothing unless asked";
    words.insert(words.end(), {"--wait-lock", "20"});
    EXPECT_THAT(Refusal(make, words), HasSubstr("it did not end within 20 s")) << make().spec.name;
    LockFor(10);
    const auto done = Run(make, words);
    EXPECT_TRUE(done) << make().spec.name << ": " << done.error().message;
  }
}

TEST_F(LockWaiting, AFirstBootWaitsAMinuteForTheBootServicesRound) {
  LockFor(30);
  Must(Run(FirstBootCommand, {source_, "--phase", "logon"}));
  EXPECT_TRUE(host_.program_installed);
  EXPECT_THAT(Refusal(FirstBootCommand, {source_}), HasSubstr("it did not end within 60 s"));
  EXPECT_THAT(Refusal(FirstBootCommand, {source_, "--wait-lock", "0"}), testing::Not(HasSubstr("within")));
}

TEST_F(LockWaiting, AStopEndsIt) {
  host_.locked = true;  // and the first pause is stopped
  const Error stopped = ErrorIn(Run(ApplyCommand, {source_, "--wait-lock", "60"}));
  EXPECT_EQ(stopped.code, Code::kLock);
  EXPECT_THAT(stopped.message, HasSubstr("was stopped"));
}

TEST_F(LockWaiting, AClockThatIsSetMeanwhileChangesNothing) {
  LockFor(0);
  int pauses = 0;
  host_.during_wait = [&] {
    ++pauses;
    host_.now += pauses % 2 == 0 ? 86'400 : -86'400;
  };
  EXPECT_THAT(Run(ApplyCommand, {source_, "--wait-lock", "5"}).error().message, HasSubstr("within 5 s"));
  EXPECT_EQ(pauses, 10) << "half a second each";
}

TEST_F(LockWaiting, ATrialThatNobodyConfirmedIsTakenBackAlthoughARoundIsUnderWay) {
  host_.waits_left = 10'000;
  const std::int64_t begin = host_.now;
  host_.during_wait = [&] { host_.locked = host_.now >= begin + 5 && host_.now < begin + 20; };
  EXPECT_EQ(Json(ApplyCommand, {source_, "--try", "6"}, 4)["writes"].GetInt(), 0);
  EXPECT_EQ(host_.memory.At(reconcile::kEnv, "HTTP_PROXY"), std::nullopt);
}

}  // namespace
}  // namespace prov::cli
