// Running programs: the test program starts itself again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "provisioner/machine/live_ports.h"
#include "provisioner/machine/windows_calls.h"
#include "tests/machine/own_path_win32.h"

namespace prov::machine {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

ProgramCall Call(const std::string& test, std::int64_t timeout_milliseconds = 60'000) {
  return {OwnPath(),
          {"--gtest_also_run_disabled_tests", "--gtest_filter=LivePrograms.DISABLED_" + test},
          timeout_milliseconds,
          std::size_t{1} << 20U};
}

// What the started ones do.
TEST(LivePrograms, DISABLED_Talks) {
  std::fputs("to \"out\"\n", stdout);
  std::fputs("to err\n", stderr);
  EXPECT_TRUE(false) << "so that the exit is 1";
}

TEST(LivePrograms, DISABLED_Floods) {
  for (int i = 0; i < 100'000; ++i) std::fputs("0123456789012345678901234567890123456789\n", stdout);
}

TEST(LivePrograms, DISABLED_Stays) { Sleep(60'000); }

TEST(LivePrograms, GivesBothOutputsAndTheExit) {
  const auto output = LivePrograms().Run(Call("Talks"));
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->exit, 1);
  EXPECT_THAT(output->out, HasSubstr("to \"out\""));
  EXPECT_THAT(output->err, HasSubstr("to err"));
}

// The pipe holds much less.
TEST(LivePrograms, EndsAlsoWhenTheOutputIsTooLong) {
  const auto output = LivePrograms().Run(Call("Floods"));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kTooLarge);
}

TEST(LivePrograms, StopsOneThatDoesNotEnd) {
  const auto begin = std::chrono::steady_clock::now();
  const auto output = LivePrograms().Run(Call("Stays", 1000));
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kTarget);
  EXPECT_THAT(output.error().message, HasSubstr("within 1 seconds"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(LivePrograms, SaysWhichOneIsMissing) {
  ProgramCall call = Call("Talks");
  call.path = R"(C:\no such folder\crictl.exe)";
  const auto output = LivePrograms().Run(call);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.error().code, Code::kTarget);
  EXPECT_EQ(output.error().where, call.path);
}

TEST(LivePrograms, FindsThemInAbsoluteFoldersOfPathAlone) {
  const std::filesystem::path own(Wide(OwnPath()));
  const std::string name = Narrow(own.stem().wstring());
  const std::filesystem::path here = std::filesystem::current_path();
  wchar_t path[32767] = {};
  GetEnvironmentVariableW(L"PATH", path, 32767);

  std::filesystem::current_path(own.parent_path());
  SetEnvironmentVariableW(L"PATH", LR"(.;;C:\no such folder)");
  EXPECT_EQ(LivePrograms().Find(name), std::nullopt) << "is in the current folder and beside this program";
  SetEnvironmentVariableW(L"PATH", (LR"(C:\no such folder;")" + own.parent_path().wstring() + L"\"").c_str());
  const auto found = LivePrograms().Find(name);
  SetEnvironmentVariableW(L"PATH", path);
  std::filesystem::current_path(here);

  ASSERT_TRUE(found);
  EXPECT_THAT(*found, EndsWith(name + ".exe"));
}

}  // namespace
}  // namespace prov::machine
