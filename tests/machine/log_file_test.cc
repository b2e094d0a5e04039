#include "provisioner/machine/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::machine {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kLogTime = 1'795'245'010;  // 2026-11-21T07:10:10Z

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

}  // namespace
}  // namespace prov::machine
