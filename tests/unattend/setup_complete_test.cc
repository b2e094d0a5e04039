#include "provisioner/unattend/setup_complete.h"

#include <gmock/gmock.h>

namespace prov::unattend {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr std::string_view kOurs =
    "@call \"%SystemRoot%\\Setup\\Scripts\\Provisioner\\scripts\\SetupComplete.cmd\"\r\n";

struct Edited {
  std::string text;
  Findings findings;
};

Edited AddLine(std::string_view existing) {
  Edited out;
  auto text = AddSetupCompleteLine(existing, out.findings, "SetupComplete.cmd");
  EXPECT_TRUE(text) << text.error().message;
  out.text = text.value_or("");
  return out;
}

TEST(SetupComplete, AFileThatIsNotThereGetsOurLine) { EXPECT_EQ(AddLine("").text, kOurs); }

TEST(SetupComplete, OurLineComesBehindWhatIsThere) {
  EXPECT_EQ(AddLine("echo a\r\n").text, "echo a\r\n" + std::string(kOurs));
  EXPECT_EQ(AddLine("echo a").text, "echo a\r\n" + std::string(kOurs));
  EXPECT_EQ(AddLine("echo a\n").text, "echo a\n" + std::string(kOurs));
}

TEST(SetupComplete, ASecondTimeNothingChanges) {
  for (const char* existing : {"", "echo a", "echo a\r\n", "echo \xE4\r\n"}) {
    const std::string once = AddLine(existing).text;
    EXPECT_EQ(AddLine(once).text, once);
    EXPECT_EQ(AddLine(once + "echo b\r\n").text, once + "echo b\r\n");
  }
}

TEST(SetupComplete, WhatOnlyLooksLikeOurLineIsNot) {
  const std::string remark = "rem " + std::string(kOurs);
  EXPECT_EQ(AddLine(remark).text, remark + std::string(kOurs));
}

TEST(SetupComplete, TakingOutGivesWhatWasThere) {
  for (const std::string_view existing : {"", "echo a", "echo a\r\n", "echo a\n", "exit /b 0", "\r\n\r\n"}) {
    const std::string edited = AddLine(existing).text;
    const std::string_view added = std::string_view(edited).substr(existing.size());
    EXPECT_EQ(RemoveSetupCompleteLine(edited, added), existing);
    EXPECT_EQ(RemoveSetupCompleteLine(edited + "echo b\r\n", added),
              edited.substr(0, edited.size() - kOurs.size()) + "echo b\r\n");
    EXPECT_EQ(RemoveSetupCompleteLine(existing, added), existing) << "somebody took it out already";
  }
}

TEST(SetupComplete, ALineThatLeavesTheScriptIsNamed) {
  for (const char* leaving : {"exit /b 0",
                              "@exit",
                              "  EXIT 1",
                              "goto :eof",
                              "@GOTO :EOF ",
                              "goto:eof",
                              "exit/b",
                              "exit;",
                              "(exit /b 0)",
                              "echo b & exit /b",
                              "b.exe && exit",
                              "b.exe || (echo c & goto :eof)",
                              "if errorlevel 1 exit /b 1",
                              "if not \"%1\"==\"a b\" exit",
                              "if /i A EQU B (goto:eof)",
                              "if exist b.cmd b.cmd",
                              ") else exit",
                              "ex^it",
                              "for %%i in (1 2) do exit",
                              "C:\\b.cmd /s",
                              "\"C:\\b c\\d.BAT\" e",
                              "exit ^\r\n /b"}) {
    const Edited edited = AddLine(std::string("echo a\r\n") + leaving + "\r\n");
    ASSERT_THAT(edited.findings, SizeIs(1)) << leaving;
    EXPECT_EQ(edited.findings[0].code, "setup-complete-exit");
    EXPECT_EQ(edited.findings[0].where, "SetupComplete.cmd: line 2");
    EXPECT_THAT(AddLine(edited.text).findings, SizeIs(1)) << "also when the line is there already";
  }
  for (const char* staying :
       {"echo exit", "goto next", "goto eof", "rem exit", "rem b & exit", ":: b & exit", ":exit", "echo \"b & exit\"",
        "echo b ^& exit", "call b.cmd", "if exist b.cmd call b.cmd", "if exist exit echo b", "start b.cmd",
        "cmd /c exit", "copy b.cmd c.cmd", "for %%i in (b.cmd c.cmd) do call %%i", "exit.exe", "set b=c.cmd", ""}) {
    EXPECT_THAT(AddLine(staying).findings, IsEmpty()) << staying;
  }
  EXPECT_THAT(AddLine(std::string(kOurs) + "exit /b 0\r\n").findings, IsEmpty()) << "behind ours it does not matter";
}

TEST(SetupComplete, Utf16IsRefused) {
  using namespace std::string_view_literals;
  Findings findings;
  for (const std::string_view text : {"\xFF\xFE@\0"sv, "e\0c\0"sv, "\xFE\xFF"sv}) {
    const auto edited = AddSetupCompleteLine(text, findings, "SetupComplete.cmd");
    ASSERT_FALSE(edited);
    EXPECT_EQ(edited.error().code, Code::kTarget);
    EXPECT_EQ(edited.error().where, "SetupComplete.cmd");
  }
}

}  // namespace
}  // namespace prov::unattend
