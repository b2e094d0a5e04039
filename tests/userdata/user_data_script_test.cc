#include "provisioner/userdata/user_data_script.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "provisioner/userdata/user_data_forms.h"
#include "templates/templates.h"
#include "tests/support/amount.h"
#include "tests/userdata/logged_words.h"
#include "tests/userdata/user_data_reader.h"

namespace prov::userdata {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::array<std::string_view, 3> kAll = {"download", "program", "bundle"};

TEST(CompactScript, LeavesOutWhatIsForPeople) {
  EXPECT_EQ(
      CompactScript("# why\r\n$first = @{ a = 1; b = $null }\r\n\r\n    if ($first) { f $First, 'x = y' }\r\n", kAll),
      "$a=@{a=1;b=$null}\nif($a){f $a,'x = y'}\n");
}

TEST(CompactScript, JoinsLinesAtBraces) {
  EXPECT_EQ(CompactScript("try {\r\n    if (1) {\r\n        f\r\n    }\r\n    g\r\n} catch {\r\n}\r\n", kAll),
            "try{if(1){f}\ng}catch{}\n");
}

TEST(CompactScript, LeavesTextsAloneButForTheirVariables) {
  EXPECT_EQ(CompactScript("$root = \"a = b, $root\\x ${root}y $($root.name) $env:Temp\"\n", kAll),
            "$a=\"a = b, $a\\x ${a}y $($a.name) $env:Temp\"\n");
  EXPECT_EQ(CompactScript("$x = 'it''s = $x'\n", kAll), "$a='it''s = $a'\n");
}

TEST(CompactScript, KeepsReplacementsOfRegularExpressions) {
  EXPECT_EQ(CompactScript("$x -replace 'a(b)', '$1$x'\n", kAll), "$a -replace 'a(b)','$1$a'\n");
}

TEST(CompactScript, ShortensTheFunctionsOfTheScriptAndNoOthers) {
  EXPECT_EQ(
      CompactScript("function Get-One($x) {\nGet-OneMore\n}\nfunction Tell {\n}\n(Get-One 1).Get-One\nTell\n", kAll),
      "function _a($a){Get-OneMore}\nfunction Tell{}\n(_a 1).Get-One\nTell\n");
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

TEST(CompactScript, ShortensMostWhatIsNamedMost) {
  std::string script;
  for (int i = 0; i < 26; ++i) script += "$name" + std::to_string(i) + "\n";
  EXPECT_THAT(CompactScript(script + "$often $Often\n", kAll), testing::StartsWith("$b\n$c\n"));
  EXPECT_THAT(CompactScript(script + "$often $Often\n", kAll), testing::EndsWith("$z\n$aa\n$a $a\n"));
}

TEST(CompactScript, HasNamesForManyVariables) {
  std::string script;
  for (int i = 0; i < 30; ++i) script += "$name" + std::to_string(i) + "\n";
  EXPECT_THAT(CompactScript(script, kAll), testing::EndsWith("$y\n$z\n$aa\n$ab\n$ac\n$ad\n"));
}

// What the compaction does not know must not be in the scripts that it is made for.
TEST(CompactScript, ScriptsHaveNothingThatItDoesNotKnow) {
  for (const std::string_view script :
       {templates::UserDataPs1(), templates::UserDataRunPs1(), templates::ApplyEgressPs1()}) {
    for (const std::string_view word : {"@\"", "<#", "`\"", "`'", "`\r\n", "Invoke-Expression", "iex ",
                                        "$using:", "Get-Variable", "Set-Variable", "$global:i"}) {
      EXPECT_THAT(script, Not(HasSubstr(word)));
    }
    const std::size_t data = script.find("= @'\r\nDATA\r\n'@\r\n");
    EXPECT_EQ(script.find("@'"), data == std::string_view::npos ? data : data + 2) << "the data is the one here-string";
    EXPECT_EQ(script.find("@'"), script.rfind("@'"));
    EXPECT_THAT(script, HasSubstr("ErrorActionPreference = 'Stop'"));
  }
}

// A comment behind code would end the line for what was joined to it; a quote in one would begin a text.
TEST(CompactScript, ScriptsHaveCommentsOnLinesOfTheirOwn) {
  for (const std::string_view script :
       {templates::UserDataPs1(), templates::UserDataRunPs1(), templates::ApplyEgressPs1()}) {
    EXPECT_THAT(CompactScript(script, kAll), Not(HasSubstr(" # ")));
    EXPECT_THAT(CompactScript(script, kAll), Not(HasSubstr("\r")));
  }
}

TEST(UserDataScript, CarriesTwoScriptsAndTheContainer) {
  const auto parts = testing_support::PartsOf(*UserDataScript("{}DER", {}));
  EXPECT_EQ(parts.script, CompactScript(templates::UserDataRunPs1(), {}));
  constexpr std::array<std::string_view, 1> kFull = {"full"};
  EXPECT_EQ(parts.apply, CompactScript(templates::ApplyEgressPs1(), kFull));
  const auto less = testing_support::PartsOf(*UserDataScript("{}DER", {.full = false}));
  EXPECT_EQ(less.apply, CompactScript(templates::ApplyEgressPs1(), {}));
  EXPECT_LT(less.apply.size(), parts.apply.size());
  EXPECT_EQ(parts.container, "{}DER");
}

TEST(UserDataScript, HoldsNoWordForWhichWindowsWouldLogIt) {
  // Enough different ones that some would have such a word in their data by chance.
  for (std::uint32_t i = 0; i < testing_support::Amount(1000); ++i) {
    const std::string script = *UserDataScript(fmt::format("{{\"generation\":{}}}\n", i), {});
    ASSERT_THAT(testing_support::LoggedWords(script), testing::IsEmpty()) << script;
  }
}

// Of every length there is one whose gzip ends within a group; the script reads whole groups.
TEST(UserDataScript, UnpacksToTheSameWhateverTheLength) {
  for (std::size_t size = 0; size < 16; ++size) {
    std::string container = "{}\n";
    for (std::size_t i = 0; i < size; ++i) container += static_cast<char>(7 + 31 * i);
    EXPECT_EQ(testing_support::PartsOf(*UserDataScript(container, {})).container, container);
  }
}

// A line that begins with '@ ends a here-string.
TEST(HereStringLines, NoneIsTheEnd) {
  const std::string full(900, 'x');
  EXPECT_EQ(HereStringLines(""), "");
  EXPECT_EQ(HereStringLines(full), full + "\n");
  EXPECT_EQ(HereStringLines(full + "'y@" + full), full + "\n'y@" + full.substr(3) + "\nxxx\n");
  EXPECT_EQ(HereStringLines(full + "'@y"), full.substr(1) + "\nx'@y\n");
  EXPECT_EQ(HereStringLines(full.substr(1) + "'@'@"), full.substr(1) + "'\n@'@\n");
}

TEST(HereStringLines, NoneHasAWordForWhichWindowsWouldLogIt) {
  EXPECT_EQ(HereStringLines("abc"), "abc\n");
  EXPECT_EQ(HereStringLines("xEMITeMiTx"), "xEM\nITeM\niTx\n");
  EXPECT_EQ(HereStringLines(std::string(898, 'x') + "emit"), std::string(898, 'x') + "em\nit\n");
}

TEST(UserDataScript, UnpacksNoMoreThanItSays) {
  EXPECT_THAT(templates::UserDataPs1(), HasSubstr(".ReadBytes(8e6)"));
  EXPECT_EQ(kMostUnpackedBytes, 8'000'000u);
  const std::string most(kMostUnpackedBytes, 'x');
  EXPECT_TRUE(UserDataScript(most, {}));
  const auto more = UserDataScript(most + "x", {});
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::kSizeLimit);
  EXPECT_THAT(more.error().message, HasSubstr("has 8000001 bytes unpacked, and its script unpacks 8000000"));
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
}  // namespace prov::userdata
