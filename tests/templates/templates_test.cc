#include "templates/templates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace prov::templates {
namespace {

struct File {
  const char* name;
  std::string_view (*get)();
};

void PrintTo(const File& file, std::ostream* out) { *out << file.name; }

class EachFile : public testing::TestWithParam<File> {
 protected:
  std::string_view text_ = GetParam().get();
};

bool Contains(std::string_view text, std::string_view piece) { return text.find(piece) != std::string_view::npos; }

std::vector<std::string> Matches(std::string_view text, const char* pattern) {
  const std::string copy(text);
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(copy.begin(), copy.end(), regex), end; it != end; ++it) {
    found.push_back((*it)[it->size() > 1 ? 1 : 0]);
  }
  return found;
}

// Lines of a script that hold code: no comment lines, no empty ones.
std::vector<std::string> CodeLines(std::string_view text, std::string_view comment) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty() && !line.starts_with(comment)) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

std::string Unmarked(std::string_view text, std::string_view comment) {
  std::string all;
  for (const std::string& line : CodeLines(text, comment)) {
    all += line + "\n";
  }
  return all;
}

TEST_P(EachFile, HoldsPrintableAsciiOnly) {
  ASSERT_FALSE(text_.empty());
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text_[i]);
    ASSERT_TRUE((byte >= 0x20 && byte < 0x7f) || byte == '\r' || byte == '\n') << "byte " << int{byte} << " at " << i;
  }
}

TEST_P(EachFile, NamesNoFolderOfTheMachineConfigOperator) {
  EXPECT_FALSE(Contains(text_, "C:\\k"));
  EXPECT_FALSE(Contains(text_, "C:\\Temp"));
  EXPECT_FALSE(Contains(text_, "OpenShift managed"));
}

TEST_P(EachFile, IsTheFileOfTheTreeWithCrlf) {
  std::ifstream in(std::string(TEST_SOURCE_DIR "/../templates/") + GetParam().name, std::ios::binary);
  ASSERT_TRUE(in.is_open()) << GetParam().name;
  std::string expected;
  for (const char c : std::string(std::istreambuf_iterator<char>(in), {})) {
    if (c == '\n') {
      expected += "\r\n";
    } else if (c != '\r') {
      expected += c;
    }
  }
  EXPECT_EQ(text_, expected);
  EXPECT_TRUE(text_.ends_with("\r\n"));
  EXPECT_FALSE(Contains(text_, " \r\n")) << "blank before a line end";
}

INSTANTIATE_TEST_SUITE_P(Templates, EachFile,
                         testing::Values(File{"Apply-Egress.ps1", ApplyEgressPs1},
                                         File{"SetupComplete.cmd", SetupCompleteCmd},
                                         File{"Start-Drive.ps1", StartDrivePs1}, File{"UserData.ps1", UserDataPs1},
                                         File{"UserData-Run.ps1", UserDataRunPs1}, File{"unattend.xml", UnattendXml},
                                         File{"README.txt", ReadmeTxt}),
                         [](const testing::TestParamInfo<File>& info) {
                           std::string name = info.param.name;
                           std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(Unattend, RunsOneCommandInSpecializeThatFitsAndDoesNotReboot) {
  const std::string_view text = UnattendXml();
  EXPECT_EQ(Matches(text, "<settings pass=\"([^\"]*)\"").size(), 1u);
  EXPECT_TRUE(Contains(text, "<settings pass=\"specialize\">"));
  EXPECT_TRUE(Contains(text, "name=\"Microsoft-Windows-Deployment\" processorArchitecture=\"amd64\""));
  EXPECT_EQ(Matches(text, "<RunSynchronousCommand wcm:action=\"add\">").size(), 1u);
  EXPECT_TRUE(Contains(text, "<WillReboot>Never</WillReboot>"));
  EXPECT_TRUE(Contains(text, "<Order>1</Order>"));
  const std::vector<std::string> paths = Matches(text, "<Path>([^<]*)</Path>");
  ASSERT_EQ(paths.size(), 1u);
  EXPECT_LE(paths[0].size(), 259u);
  EXPECT_TRUE(paths[0].starts_with("cmd.exe /d /c "));
  EXPECT_TRUE(paths[0].ends_with(" specialize"));
  EXPECT_EQ(paths[0].find_first_of("&<>\"'^|"), std::string::npos) << "would need escaping";
}

TEST(SetupComplete, StartsTheScriptByFullPathWithoutProfile) {
  const std::string_view text = SetupCompleteCmd();
  EXPECT_TRUE(Contains(text, "%SystemRoot%\\System32\\WindowsPowerShell\\v1.0\\powershell.exe"));
  EXPECT_TRUE(
      Contains(text, "\"%SHELL%\" -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File \"%APPLY%\""));
  EXPECT_TRUE(Contains(text, "set \"HERE=%SystemRoot%\\Setup\\Scripts\""));
  EXPECT_TRUE(Contains(text, "%HERE%\\Provisioner\\scripts\\Apply-Egress.ps1"));
}

// The program comes first; the script is for payloads without it.
TEST(SetupComplete, PrefersTheProgramAndTellsItThePhase) {
  const std::string code = Unmarked(SetupCompleteCmd(), "rem ");
  const std::size_t program = code.find("if exist \"%PROGRAM%\" goto program");
  const std::size_t script = code.find("-File \"%APPLY%\"");
  ASSERT_NE(program, std::string::npos);
  EXPECT_LT(program, script);
  EXPECT_TRUE(Contains(code,
                       "\"%PROGRAM%\" first-boot \"%HERE%\\Provisioner\" --phase %PHASE% >>\"%LOG%\" 2>&1\n"
                       "set \"CODE=%ERRORLEVEL%\"\ngoto finish\n"));
  EXPECT_TRUE(Contains(code, "if /i \"%~1\"==\"specialize\" set \"PHASE=specialize\""));
}

TEST(SetupComplete, AlwaysEndsWithZeroInSpecializeAndLeavesAMark) {
  const std::string code = Unmarked(SetupCompleteCmd(), "rem ");
  const std::size_t mark = code.find(">\"%FAILED%\" echo %CODE%");
  const std::size_t zero = code.find("if /i \"%~1\"==\"specialize\" exit /b 0");
  const std::size_t other = code.find("exit /b %CODE%");
  ASSERT_NE(other, std::string::npos);
  EXPECT_LT(mark, zero);
  EXPECT_LT(zero, other);
}

TEST(SetupComplete, NeverRestartsTheMachine) {
  const std::string code = Unmarked(SetupCompleteCmd(), "rem ");
  EXPECT_FALSE(Contains(code, "shutdown"));
  EXPECT_FALSE(Contains(code, "Restart-Computer"));
}

TEST(SetupComplete, JumpsOnlyToLabelsThatExist) {
  const std::string code = Unmarked(SetupCompleteCmd(), "rem ");
  const std::vector<std::string> jumps = Matches(code, "goto ([a-z]+)");
  EXPECT_FALSE(jumps.empty());
  for (const std::string& label : jumps) {
    EXPECT_TRUE(Contains(code, "\n:" + label + "\n")) << label;
  }
}

// Files of a CD have no owner; what is applied is the copy that only administrators can open.
TEST(StartDrive, AppliesACopyThatWasProtectedBeforeAnythingWasInIt) {
  const std::string code = Unmarked(StartDrivePs1(), "#");
  std::size_t last = 0;
  for (const std::string_view step : {"New-Item -ItemType Directory -Path $target", "'/inheritance:r'",
                                      "{ Stop-With 13 \"$target can't be restricted", "Copy-Item -Destination $target",
                                      "New-Target\nCopy-Payload $payload", "& $program first-boot $target "}) {
    const std::size_t at = code.find(step);
    ASSERT_NE(at, std::string::npos) << step;
    EXPECT_LT(last, at) << step;
    last = at;
  }
  EXPECT_TRUE(Contains(code, "$target = Join-Path $scripts 'Provisioner'"));
  EXPECT_TRUE(Contains(code, "$scripts = Join-Path $env:SystemRoot 'Setup\\Scripts'"));
  EXPECT_FALSE(Contains(code, "first-boot $payload"));
}

TEST(StartDrive, RefusesAFolderOfOthersBeforeItIsTouched) {
  const std::string code = Unmarked(StartDrivePs1(), "#");
  const std::size_t refused = code.find("Stop-With 12 \"$target is there and is not administrators' alone");
  ASSERT_NE(refused, std::string::npos);
  EXPECT_LT(code.find("if (-not (Test-Protected)) {"), refused);
  EXPECT_LT(refused, code.find("Remove-Item -LiteralPath $target -Recurse"));
}

TEST(StartDrive, AlwaysEndsWithZeroInSpecializeAndLeavesAMark) {
  const std::string code = Unmarked(StartDrivePs1(), "#");
  EXPECT_TRUE(Contains(code, "if (-not $Phase) { exit (Get-CloudbaseCode $code) }\n"));
  EXPECT_TRUE(Contains(code, "Set-Content -LiteralPath $failed -Value \"$code\"\nexit 0\n}\n"));
  EXPECT_TRUE(Contains(code, "'scripts\\SetupComplete.cmd') 'specialize'"));
}

// Nothing may run text as code, and Windows PowerShell 5.1 must be able to read them.
TEST(Scripts, RunNoTextAsCodeAndNeedNoLaterPowerShell) {
  for (const std::string_view text : {ApplyEgressPs1(), UserDataPs1(), UserDataRunPs1(), StartDrivePs1()}) {
    const std::string code = Unmarked(text, "#");
    for (const std::string_view word : {"Add-Type", "Invoke-Expression", "iex ", "[scriptblock]", "??", "?.", " && ",
                                        " || ", "-Parallel", "-AsHashtable"}) {
      EXPECT_FALSE(Contains(code, word)) << word;
    }
  }
}

TEST(Scripts, ExitOnlyWithDocumentedCodes) {
  const std::vector<std::string> documented = {"10", "11", "12", "13", "15", "20"};
  const std::string_view text = ApplyEgressPs1();
  const std::vector<std::string> codes = Matches(text, "Stop-With ([0-9]+)");
  EXPECT_GT(codes.size(), 10u);
  for (const std::string& code : codes) {
    EXPECT_NE(std::find(documented.begin(), documented.end(), code), documented.end()) << code;
  }
  for (const std::string& code : documented) {
    EXPECT_TRUE(Contains(ReadmeTxt(), " " + code + " ") || Contains(ReadmeTxt(), "\n" + code + " ")) << code;
  }
}

TEST(Readme, NamesEveryFileOfThePayload) {
  for (const std::string_view file :
       {"manifest.json", "manifest.json.p7s", "egress.json", "operations.json", "trust\\ROOT", "trust\\CA",
        "trust\\bundle.pem", "registry\\SYSTEM.hiv", "registry\\SOFTWARE.hiv", "registry\\egress.reg",
        "scripts\\Apply-Egress.ps1", "scripts\\SetupComplete.cmd", "unattend.xml", "provisioner.exe",
        "%SystemRoot%\\Setup\\Scripts\\Provisioner"}) {
    EXPECT_TRUE(Contains(ReadmeTxt(), file)) << file;
  }
}

}  // namespace
}  // namespace prov::templates
