// The shim as GoogleTest sees it: names, filters, exit codes, and that what must fail does. twin.c is the C program
// that is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"

namespace prov::testing_support {
namespace {

using testing::HasSubstr;
using testing::Not;

ProcessResult RunTwin(std::vector<std::string> words,
                      const std::vector<std::pair<std::string, std::string>>& environment = {}) {
  words.insert(words.begin(), TWIN_SHIM);
  return Run(words, "", environment);
}

TEST(CmockaShim, CountsFailedTests) {
  const std::vector<std::pair<std::string, int>> parts = {{"assertions", 21},   {"mocks", 31},      {"state", 1},
                                                          {"several", 2},       {"group-setup", 2}, {"results", 14},
                                                          {"group-teardown", 2}};
  for (const auto& [part, failures] : parts) EXPECT_EQ(RunTwin({part}).exit, failures) << part;
}

TEST(CmockaShim, FailuresAreGoogleTests) {
  const ProcessResult result = RunTwin({"assertions", "--gtest_filter=*.IntEqual"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.out, testing::ContainsRegex("twin\\.c:[0-9]+: Failure\nFailed\n0xffffffffffffffff != 0\n"));
  EXPECT_THAT(result.out, HasSubstr("[  FAILED  ] assertions_that_fail.IntEqual"));
}

TEST(CmockaShim, MessagesOfFailMsgAreInTheFailure) {
  const ProcessResult plain = RunTwin({"results", "--gtest_filter=*.FailsWithMessage"});
  EXPECT_THAT(plain.out, HasSubstr("Failed\nERROR: 5 of six\n"));
  EXPECT_EQ(plain.err, "");
  const ProcessResult tap =
      RunTwin({"results", "--gtest_filter=*.FailsWithMessage"}, {{"CMOCKA_MESSAGE_OUTPUT", "tap"}});
  EXPECT_THAT(tap.err, "ERROR: 5 of six\n") << "where CMocka has it";
}

TEST(CmockaShim, LeftoversNameTheMock) {
  const ProcessResult result = RunTwin({"mocks", "--gtest_filter=*.Left*"});
  EXPECT_EQ(result.exit, 10);
  EXPECT_THAT(result.out, HasSubstr("Value() has remaining non-returned values.\n"));
  EXPECT_THAT(result.out, HasSubstr("MockNumber: 'number' parameter still has values that haven't been checked.\n"));
  EXPECT_THAT(result.out, HasSubstr("Ordered function was expected to be called but was not.\n"));
}

TEST(CmockaShim, EachGroupRunsOnceAndHasItsOwnSuite) {
  const ProcessResult list = RunTwin({"several", "--gtest_list_tests"});
  EXPECT_EQ(list.exit, 0);
  EXPECT_EQ(list.out,
            "same.\n  Passes\n  Skips\n0\n"
            "second_group.  # TypeParam = CMocka group: second group\n  Skips\n0\n"
            "failing.\n  Fails\n  Passes\n0\n"
            "same_2.  # TypeParam = CMocka group: same\n  Passes\n  Skips\n0\n");
  const ProcessResult run = RunTwin({"several", "--gtest_filter=same*.Passes-same.*"});
  EXPECT_EQ(run.exit, 0);
  EXPECT_THAT(run.out, HasSubstr("[       OK ] same_2.Passes"));
  EXPECT_THAT(run.out, Not(HasSubstr("same.Passes"))) << run.out;
}

TEST(CmockaShim, TheFilterAppliesToEveryGroup) {
  const ProcessResult result = RunTwin({"several", "--gtest_filter=*.Fails"}, {{"CMOCKA_MESSAGE_OUTPUT", "subunit"}});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(
      result.out,
      testing::MatchesRegex(
          "0\n0\ntest: Fails\nfailure: Fails \\[\n\"a\" != \"b\"\n.*twin.c:[0-9]+: error: Failure!\n\\]\n1\n1\n"));
}

TEST(CmockaShim, NamesAreKeptAsGivenInReports) {
  const ProcessResult plain = RunTwin({"results", "--gtest_list_tests"});
  EXPECT_THAT(
      plain.out,
      HasSubstr("  a_name__with___blanks_and_stars  # GetParam() = CMocka test: a name: with - blanks.and*stars\n"));
}

}  // namespace
}  // namespace prov::testing_support
