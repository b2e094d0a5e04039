// The shim as GoogleTest sees it: names, filters, failures. twin.c is the C program that is run; compare_twin.py
// compares what it reports in CMocka's forms, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/process.h"

namespace prov::testing_support {
namespace {

using testing::HasSubstr;
using testing::Not;

ProcessResult RunTwin(std::vector<std::string> words) {
  words.insert(words.begin(), TWIN_SHIM);
  return Run(words);
}

TEST(CmockaShim, FailuresAreGoogleTests) {
  const ProcessResult result = RunTwin({"assertions", "--gtest_filter=*.IntEqual"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.out, testing::ContainsRegex("twin\\.c:[0-9]+: Failure\nFailed\n0xffffffffffffffff != 0\n"));
  EXPECT_THAT(result.out, HasSubstr("[  FAILED  ] assertions_that_fail.IntEqual"));
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

}  // namespace
}  // namespace prov::testing_support
