// What the listener makes of ordinary GoogleTest tests. That its formats are CMocka's is compare_twin.py's to prove.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/cmocka_listener.h"
#include "tests/support/process.h"

namespace prov::testing_support {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Environment = std::vector<std::pair<std::string, std::string>>;

ProcessResult RunPlain(const std::string& filter, const Environment& environment) {
  return Run({PLAIN_SUITE, "--gtest_filter=" + filter}, "", environment);
}
ProcessResult RunPlain(const std::string& filter, const std::string& format) {
  return RunPlain(filter, {{"CMOCKA_MESSAGE_OUTPUT", format}});
}

TEST(CmockaListener, WithoutAFormatGoogleTestPrints) {
  for (const char* format : {"", "junit", "tap "}) {
    const ProcessResult result = RunPlain("Plain.Passes", format);
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.out, HasSubstr("[       OK ] Plain.Passes (")) << format;
  }
  EXPECT_EQ(RunPlain("Plain.*", "").exit, 1);
}

TEST(CmockaListener, TapOfOrdinaryTests) {
  const ProcessResult result = RunPlain("Plain.*", "tap");
  EXPECT_EQ(result.exit, 2) << "failed tests";
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("1..4\nok 1 - Passes\nnot ok 2 - FailsTwice\n# Value of: false\n#   Actual: "
                                     "false\n# Expected: true\n# first\n"));
  EXPECT_THAT(result.out,
              testing::ContainsRegex(
                  "plain_suite\\.cc:[0-9]+: error: Failure!\n# second .* <b>\n# plain\\.cc:7: error: Failure!\n"));
  EXPECT_THAT(result.out, HasSubstr("not ok 3 # SKIP Skips\n"));
  EXPECT_THAT(result.out,
              HasSubstr("not ok 4 - Throws\n# C++ exception with description \"thrown\" thrown in the test body.\n"));
  EXPECT_THAT(result.out, testing::EndsWith("# not ok - Plain\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("NotRun")));
}

TEST(CmockaListener, XmlIsWellFormedWhateverTheTextsHold) {
  const ProcessResult result = RunPlain("Plain.*", "xml");
  EXPECT_EQ(result.exit, 2);
  EXPECT_THAT(
      result.out,
      StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<testsuites>\n  <testsuite name=\"Plain\" time=\"0."));
  EXPECT_THAT(result.out, HasSubstr("tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\" >"));
  EXPECT_THAT(result.out, HasSubstr("second ]]]]><![CDATA[> <b>"));
}

TEST(CmockaListener, GroupsThatCanNotStartOrEndFail) {
  const ProcessResult start = RunPlain("BrokenSuite.*", "tap");
  EXPECT_EQ(start.exit, 1);
  EXPECT_EQ(start.out, "1..1\nnot ok 0 - BrokenSuite [  FAILED  ] GROUP SETUP\n# ok - BrokenSuite\n")
      << "as CMocka has it";
  EXPECT_THAT(start.err, HasSubstr("no ground to stand on"));
  const ProcessResult end = RunPlain("BrokenEnd.*", "subunit");
  EXPECT_EQ(end.exit, 1) << "CMocka would say 0";
  EXPECT_EQ(end.out, "test: Passes\nsuccess: Passes\nerror: BrokenEnd [ [  FAILED  ] GROUP TEARDOWN ]\n");
  EXPECT_THAT(end.err, HasSubstr("left dirty"));
}

TEST(CmockaListener, ABrokenEnvironmentFails) {
  const ProcessResult result = RunPlain("Plain.Passes", {{"CMOCKA_MESSAGE_OUTPUT", "tap"}, {"BREAK_ENVIRONMENT", "1"}});
  EXPECT_EQ(result.exit, 1);
  EXPECT_THAT(result.err, HasSubstr("no environment"));
}

TEST(CmockaListener, TheExitCodeNeverWraps) {
  const ProcessResult result = RunPlain("Of300/*", "subunit");
  EXPECT_EQ(result.exit, 255);
  EXPECT_THAT(result.out, HasSubstr("failure: Fails/299 ["));
}

}  // namespace
}  // namespace prov::testing_support
