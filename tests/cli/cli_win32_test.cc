// What differs for callers on Windows: arguments, bytes on standard input and output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/file.h"
#include "provisioner/base/windows_api.h"
#include "tests/cli/program_run.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace prov {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::kSample;
using testing_support::ProcessResult;
using testing_support::Provisioner;

TEST(WindowsCli, ArgumentsOfAnyLanguageArrive) {
  wchar_t temporary[MAX_PATH];
  GetTempPathW(MAX_PATH, temporary);
  const std::string path = win32::Narrow(temporary) + "cli \u5024 \"" + std::to_string(GetCurrentProcessId());
  const std::string named = path.substr(0, path.find('"')) + "\u20ac.json";
  ASSERT_TRUE(WriteFileAtomically(named, ReadFile(kSample, 1U << 20U).value(), 0644));
  EXPECT_EQ(Provisioner({"extract", named}).exit, 0);
  DeleteFileW(win32::Path(named).c_str());
  const ProcessResult missing = Provisioner({"check", path + "\\\\\" x"});
  EXPECT_EQ(missing.exit, 11);
  EXPECT_THAT(missing.err, HasSubstr(path + "\\\\\" x")) << "quotes and backslashes stay";
}

TEST(WindowsCli, AStarStays) { EXPECT_THAT(Provisioner({"check", "*"}).err, HasSubstr("(*)")); }

TEST(WindowsCli, NoByteOfInputOrOutputIsChanged) {
  const ProcessResult result = Provisioner({"extract", kSample});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, Not(HasSubstr("\r")));
  EXPECT_EQ(Provisioner({"extract", "-"}, ReadFile(kSample, 1U << 20U).value()).out, result.out);
  const std::string ctrl_z = "# \x1a\n";  // the C library would end a text there
  EXPECT_EQ(Provisioner({"extract", "-"}, ctrl_z + "{\"ignition\":{\"version\":\"3.2.0\"}}").exit, 11)
      << "as a control character in a document is an error, seen or not: else the rest would be missing";
}

}  // namespace
}  // namespace prov
