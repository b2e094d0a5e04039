// The shim as GoogleTest sees it: names, filters, failures; and ordinary tests in CMocka's forms. twin.c is the C
// program that is run; compare_twin.py compares what it reports in these forms, and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
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

// Run by the test below alone.
TEST(DISABLED_Ordinary, Passes) {}
TEST(DISABLED_Ordinary, FailsTwice) {
  EXPECT_TRUE(false) << "first";
  ADD_FAILURE() << "second ]]> <b>";
}

TEST(CmockaListener, OrdinaryTestsInCmockasForms) {
  const auto run = [](const std::string& format) {
    return testing_support::Run({std::filesystem::read_symlink("/proc/self/exe").string(),
                                 "--gtest_filter=DISABLED_Ordinary.*", "--gtest_also_run_disabled_tests"},
                                "", {{"CMOCKA_MESSAGE_OUTPUT", format}});
  };
  const ProcessResult tap = run("tap");
  EXPECT_EQ(tap.exit, 1) << "failed tests";
  EXPECT_THAT(tap.out, testing::StartsWith("1..2\nok 1 - Passes\nnot ok 2 - FailsTwice\n# Value of: false\n"));
  EXPECT_THAT(tap.out, testing::EndsWith("# not ok - DISABLED_Ordinary\n"));
  const ProcessResult xml = run("xml");
  EXPECT_THAT(xml.out, HasSubstr("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" >"));
  EXPECT_THAT(xml.out, HasSubstr("second ]]]]><![CDATA[> <b>"));
  EXPECT_THAT(run("junit").out, HasSubstr("[       OK ] DISABLED_Ordinary.Passes ("));
}

}  // namespace
}  // namespace prov::testing_support
