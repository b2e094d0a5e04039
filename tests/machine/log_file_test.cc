#include "provisioner/machine/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "provisioner/base/file.h"
#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::int64_t kLogTime = 1'795'245'010;  // 2026-11-21T07:10:10Z

class LogFileTest : public testing::Test {
 protected:
  std::string Path() const { return (folder_ / "provisioner.log").string(); }
  static std::string Content(const std::string& path) { return ReadFile(path, 1U << 20U).value_or("(unreadable)"); }

  testing_support::ScratchFolder scratch_;
  fs::path folder_ = scratch_.path();
};

TEST(LogLine, HasTimeSeverityIdAndText) {
  EXPECT_EQ(FormatLogLine(kLogTime, Severity::kWarning, 3, "a reboot is required"),
            "2026-11-21T07:10:10Z warning 3 a reboot is required\n");
}

TEST(LogLine, StaysOneLineWhateverAnInputSays) {
  const std::string line =
      FormatLogLine(kLogTime, Severity::kError, 111, "CN=a\r\n2026-11-21T07:10:10Z info 1 fine\x1b[2J");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(line, HasSubstr(R"(CN=a\x0d\x0a2026)"));
  EXPECT_THAT(line, HasSubstr(R"(fine\x1b[2J)"));
}

TEST(LogLine, LongTextIsCutBetweenCharacters) {
  for (int before = 0; before < 4; ++before) {
    std::string text(static_cast<std::size_t>(before), 'x');
    while (text.size() < 20'000) text += "😀";
    const std::string line = FormatLogLine(kLogTime, Severity::kInfo, 1, text);
    EXPECT_LT(line.size(), 9'000U);
    EXPECT_TRUE(line.ends_with("😀 [...]\n"));
    EXPECT_EQ(line.find("\\x"), std::string::npos);
  }
}

TEST_F(LogFileTest, LinesFollowEachOther) {
  LogFile log(Path());
  ASSERT_TRUE(log.Append("first\n"));
  ASSERT_TRUE(LogFile(Path()).Append("second\n"));
  EXPECT_EQ(Content(Path()), "first\nsecond\n");
}

TEST_F(LogFileTest, FullOneIsKeptAndTheOneBeforeItGoes) {
  LogFile log(Path(), 12);
  for (const char* line : {"line 1\n", "2\n", "3\n", "line 4\n", "line 5\n"}) ASSERT_TRUE(log.Append(line));
  EXPECT_EQ(Content(Path()), "line 5\n");
  EXPECT_EQ(Content(Path() + ".1"), "line 4\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(LogFileTest, MayBeExactlyFull) {
  LogFile log(Path(), 12);
  for (const char* line : {"line 1\n", "abcd\n"}) ASSERT_TRUE(log.Append(line));
  EXPECT_EQ(Content(Path()), "line 1\nabcd\n");
  ASSERT_TRUE(log.Append("\n"));
  EXPECT_EQ(Content(Path()), "\n");
}

TEST_F(LogFileTest, LineThatIsLongerThanTheLogIsAnError) {
  LogFile log(Path(), 4);
  const auto appended = log.Append("line 1\n");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().where, Path());
  EXPECT_TRUE(log.Append("1\n"));
}

TEST_F(LogFileTest, FolderThatIsMissingIsNotMade) {
  EXPECT_FALSE(LogFile((folder_ / "none" / "provisioner.log").string()).Append("x\n"));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LogFileTest, FolderInItsPlaceIsAnError) {
  fs::create_directory(Path());
  EXPECT_FALSE(LogFile(Path()).Append("x\n"));
}

}  // namespace
}  // namespace prov::machine
