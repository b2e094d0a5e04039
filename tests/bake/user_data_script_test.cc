#include "provisioner/bake/user_data_script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "provisioner/bake/gzip_writer.h"
#include "templates/templates.h"
#include "tests/support/logged_words.h"
#include "tests/support/user_data_reader.h"

namespace prov::bake {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::string_view, 3> kAll = {"download", "program", "bundle"};

TEST(CompactScript, LeavesOutWhatIsForPeople) {
  EXPECT_EQ(
      CompactScript("# why\r\n$first = @{ a = 1; b = $null }\r\n\r\n    if ($first) { f $First, 'x = y' }\r\n", kAll),
      "$a=@{a=1;b=$null}\nif($a){f $a,'x = y'}\n");
}

TEST(CompactScript, LeavesTextsAloneButForTheirVariables) {
  EXPECT_EQ(CompactScript("$root = \"a = b, $root\\x ${root}y $($root.name) $env:Temp\"\n", kAll),
            "$a=\"a = b, $a\\x ${a}y $($a.name) $env:Temp\"\n");
  EXPECT_EQ(CompactScript("$x = 'it''s = $x'\n", kAll), "$a='it''s = $a'\n");
}

TEST(CompactScript, KeepsPowerShellsOwnVariablesAndScopes) {
  EXPECT_EQ(CompactScript("$script:items += $_, $args, $LASTEXITCODE, $PSScriptRoot, $Matches[0], $items\n", kAll),
            "$script:a+=$_,$args,$LASTEXITCODE,$PSScriptRoot,$Matches[0],$a\n");
}

TEST(CompactScript, KeepsBlanksThatSeparateArguments) {
  EXPECT_EQ(CompactScript("f (g $one) (24, 40)[$one -eq 1] -x\n", kAll), "f (g $a) (24,40)[$a -eq 1] -x\n");
}

TEST(CompactScript, LeavesOutRegions) {
  const char* script = "a\n#region download\nb\n#endregion\nc\n";
  EXPECT_EQ(CompactScript(script, kAll), "a\nb\nc\n");
  EXPECT_EQ(CompactScript(script, {}), "a\nc\n");
  EXPECT_EQ(CompactScript(script, std::array<std::string_view, 1>{"program"}), "a\nc\n");
}

TEST(CompactScript, HasNamesForManyVariables) {
  std::string script;
  for (int i = 0; i < 30; ++i) script += "$name" + std::to_string(i) + "\n";
  EXPECT_THAT(CompactScript(script, kAll), testing::EndsWith("$y\n$z\n$aa\n$ab\n$ac\n$ad\n"));
}

// What the compaction does not know must not be in the scripts that it is made for.
TEST(CompactScript, ScriptsHaveNothingThatItDoesNotKnow) {
  for (const std::string_view script : {templates::UserDataPs1(), templates::UserDataInstallPs1()}) {
    for (const std::string_view word : {"@'", "@\"", "<#", "`\"", "`'", "`\r\n", "Invoke-Expression", "iex ",
                                        "$using:", "Get-Variable", "Set-Variable", "$global:i"}) {
      EXPECT_THAT(script, Not(HasSubstr(word)));
    }
    EXPECT_THAT(script, HasSubstr("ErrorActionPreference = 'Stop'"));
  }
}

// A comment behind code would end the line for what was joined to it; a quote in one would begin a text.
TEST(CompactScript, ScriptsHaveCommentsOnLinesOfTheirOwn) {
  for (const std::string_view script : {templates::UserDataPs1(), templates::UserDataInstallPs1()}) {
    EXPECT_THAT(CompactScript(script, kAll), Not(HasSubstr(" # ")));
    EXPECT_THAT(CompactScript(script, kAll), Not(HasSubstr("\r")));
  }
}

TEST(UserDataScript, ScriptEndsWhereItsFirstTwoBytesSay) {
  const auto parts = testing_support::PartsOf(UserDataScript({"{}\n", "DER"}, {}));
  EXPECT_EQ(parts.script, CompactScript(templates::UserDataInstallPs1(), {}));
  EXPECT_EQ(parts.container, "{}\nDER");
}

TEST(UserDataScript, DataHasNoWordForWhichWindowsWouldLogIt) {
  EXPECT_EQ(WrapData("abc"), "abc\n");
  EXPECT_EQ(WrapData("xEMITeMiTx"), "xEM\nITeM\niTx\n");
  EXPECT_EQ(WrapData(std::string(898, 'x') + "emit"), std::string(898, 'x') + "em\nit\n");
  EXPECT_EQ(WrapData(std::string(900, 'x') + "y"), std::string(900, 'x') + "\ny\n");
  EXPECT_EQ(WrapData(""), "");
}

TEST(UserDataScript, HoldsNoWordForWhichWindowsWouldLogIt) {
  // Enough different ones that some would have such a word in their data by chance.
  for (int i = 0; i < 1000; ++i) {
    const std::string script = UserDataScript({fmt::format("{{\"generation\":{}}}\n", i), "DER"}, {});
    ASSERT_THAT(testing_support::LoggedWords(script), testing::IsEmpty()) << script;
  }
}

TEST(Gzip, IsReadBackWhateverTheParts) {
  const std::string large(100000, 'x');
  const std::vector<std::vector<std::string_view>> cases = {{}, {""}, {"a"}, {"a", "b"}, {"", large, "", large}};
  for (const auto& parts : cases) {
    std::string whole;
    for (const std::string_view part : parts) whole += part;
    const std::string bytes = Gzip(parts);
    EXPECT_EQ(testing_support::Gunzip(bytes), whole);
    EXPECT_EQ(bytes.substr(0, 10), std::string("\x1f\x8b\x08\0\0\0\0\0\x02\xff", 10)) << "no time, no system";
  }
}

}  // namespace
}  // namespace prov::bake
