// A request to stop stays in effect, so each test has a process of its own. The first wait installs the signal
// handlers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "provisioner/machine/host.h"
#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr int kStopped = 42;

// Tests that run in the background have SIGINT ignored, and it would stay so.
[[maybe_unused]] const auto kBefore = std::signal(SIGINT, SIG_DFL);

void SignalSoon(int number) {
  std::thread([number] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(getpid(), number);
  }).detach();
}

TEST(LiveClock, WaitsAsLongAsItIsTold) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(LiveHost().clock().Wait(50));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(50));
  EXPECT_TRUE(LiveHost().clock().Wait(0));
  EXPECT_TRUE(LiveHost().clock().Wait(-1));
}

TEST(LiveClockDeathTest, SignalsEndAWaitAndAllThatFollow) {
  for (const int number : {SIGINT, SIGTERM}) {
    const auto wait = [number] {
      Clock& clock = LiveHost().clock();
      if (!clock.Wait(0)) _exit(2);
      SignalSoon(number);
      const bool ended = !clock.Wait(kMinute) && !clock.Wait(kMinute) && !clock.Wait(0);
      _exit(ended ? kStopped : 1);
    };
    EXPECT_EXIT(wait(), testing::ExitedWithCode(kStopped), "");
  }
}

TEST(LiveClockDeathTest, SecondSignalEndsTheProgram) {
  const auto insist = [] {
    LiveHost().clock().Wait(0);
    SignalSoon(SIGINT);
    LiveHost().clock().Wait(kMinute);
    raise(SIGINT);
    _exit(1);
  };
  EXPECT_EXIT(insist(), testing::KilledBySignal(SIGINT), "");
}

TEST(LiveClockDeathTest, ASignalThatWhoeverStartedItIgnoresStaysIgnored) {
  const auto wait = [] {
    std::signal(SIGINT, SIG_IGN);
    LiveHost().clock().Wait(0);
    raise(SIGINT);
    _exit(LiveHost().clock().Wait(0) ? kStopped : 1);
  };
  EXPECT_EXIT(wait(), testing::ExitedWithCode(kStopped), "");
}

TEST(LiveClockDeathTest, AStoppedRunEndsByTheSignalThatStoppedIt) {
  for (const int number : {SIGINT, SIGTERM}) {
    const auto run = [number] {
      LiveHost().clock().Wait(0);
      raise(number);
      if (LiveHost().clock().Wait(kMinute)) _exit(2);
      EndBySignal();
      _exit(1);
    };
    EXPECT_EXIT(run(), testing::KilledBySignal(number), "");
  }
  const auto asked_otherwise = [] {
    RequestStop();
    EndBySignal();
    _exit(kStopped);
  };
  EXPECT_EXIT(asked_otherwise(), testing::ExitedWithCode(kStopped), "");
}

TEST(LiveClockDeathTest, RequestEndsAWait) {
  const auto wait = [] {
    RequestStop();
    _exit(LiveHost().clock().Wait(kMinute) ? 1 : kStopped);
  };
  EXPECT_EXIT(wait(), testing::ExitedWithCode(kStopped), "");
}

TEST(LiveHost, WithoutWindowsSaysSo) {
  Host& host = LiveHost();
  EXPECT_EQ(host.Open(Access::kWrite).error().code, Code::kTarget);
  EXPECT_EQ(host.services().Query("x").error().code, Code::kTarget);
  EXPECT_EQ(host.installation().InstallProgram().error().code, Code::kTarget);
  EXPECT_EQ(host.Reboot("x").error().code, Code::kTarget);
  EXPECT_EQ(host.RunAsService("x", [] {}).error().code, Code::kTarget);
  EXPECT_GT(host.clock().NowUnix(), 1'700'000'000);
}

}  // namespace
}  // namespace prov::machine
