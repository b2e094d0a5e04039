// Completion: what the scripts take from the option tables. tests/e2e/completion_e2e.py runs the scripts.
#include "provisioner/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/main.h"

namespace prov::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

OptionSpec Taking(std::string_view value, std::string_view choices = {}) {
  return {"name", value, "help", Group::kRun, false, choices};
}

TEST(CompletedValue, OfAPlaceholder) {
  EXPECT_THAT(CompletedValueOf(Taking("text|json")).words, ElementsAre("text", "json"));
  EXPECT_FALSE(CompletedValueOf(Taking("text|json")).files);
  EXPECT_THAT(CompletedValueOf(Taking("1|2")).words, ElementsAre("1", "2"));
  EXPECT_THAT(CompletedValueOf(Taking("inline|URL#sha256=HEX")).words, ElementsAre("inline"));
  EXPECT_THAT(CompletedValueOf(Taking("FILE|in-cluster")).words, ElementsAre("in-cluster"));
  for (const std::string_view file :
       {"FILE", "FILE...", "FILE|-", "FILE:INDEX", "FILE|in-cluster", "DIR", "KEY", "SOURCE"})
    EXPECT_TRUE(CompletedValueOf(Taking(file)).files) << file;
  for (const std::string_view any : {"URL", "NAME", "SECONDS", "IP[/N]", "SID|NAME"}) {
    EXPECT_FALSE(CompletedValueOf(Taking(any)).files) << any;
    EXPECT_THAT(CompletedValueOf(Taking(any)).words, IsEmpty()) << any;
  }
}

TEST(CompletedValue, ChoicesStandForAPlaceholder) {
  const CompletedValue value = CompletedValueOf(Taking("FORM", "dir tar"));
  EXPECT_THAT(value.words, ElementsAre("dir", "tar"));
  EXPECT_FALSE(value.files);
}

TEST(Actions, AreTheWordsThatComeFirst) {
  EXPECT_THAT(ActionsOf(ServiceCommand().spec), ElementsAre("install", "uninstall"));
  EXPECT_THAT(ExplainCodeCommand().spec.words, IsSupersetOf({"usage", "proxy-url-at"}));
  EXPECT_THAT(ActionsOf(ExtractCommand().spec), IsEmpty());
  EXPECT_THAT(ActionsOf(StatusCommand().spec), IsEmpty());
  EXPECT_TRUE(TakesFiles(ExtractCommand().spec));
  EXPECT_TRUE(TakesFiles(EgressIpCommand().spec));
  EXPECT_FALSE(TakesFiles(StatusCommand().spec));
}

bool HasWord(std::string_view text, std::string_view word) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || kLetters.find(text[at - 1]) == std::string_view::npos;
    const std::size_t end = at + word.size();
    if (begins && (end == text.size() || kLetters.find(text[end]) == std::string_view::npos)) return true;
  }
  return false;
}

// A choice that --help does not have would be offered and then refused, or it is missing in --help.
TEST(Choices, AreTheWordsOfHelp) {
  std::size_t compared = 0;
  const std::vector<CommandSpec> commands = CommandSpecs();
  for (const CommandSpec& command : commands) {
    for (const OptionSpec& option : command.options) {
      if (option.choices.empty()) continue;
      for (const std::string_view choice : Split(option.choices, ' ')) {
        EXPECT_TRUE(HasWord(option.help, choice) || HasWord(command.details, choice))
            << command.name << " --" << option.name << " " << choice;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 40U);
}

// The scripts have these within single quotes and without escapes.
TEST(CommandSpecs, HavePlainNames) {
  const std::vector<CommandSpec> commands = CommandSpecs();
  EXPECT_GT(commands.size(), 20U);
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  for (const CommandSpec& command : commands) {
    EXPECT_EQ(command.name.find_first_not_of(kLetters), std::string_view::npos) << command.name;
    // PowerShell makes a list of one list a flat one.
    EXPECT_GE(command.options.size(), 2U) << command.name;
    for (const OptionSpec& option : command.options)
      EXPECT_EQ(option.name.find_first_not_of(kLetters), std::string_view::npos) << command.name << " " << option.name;
  }
}

TEST(CompletionScript, IsAsciiForEachShell) {
  const std::vector<CommandSpec> commands = CommandSpecs();
  for (const std::string_view name : {"bash", "zsh", "powershell"}) {
    const auto script = CompletionScript(name, commands);
    ASSERT_TRUE(script) << name;
    EXPECT_GT(script->size(), 10'000U) << name;
    EXPECT_TRUE(std::ranges::all_of(*script, [](unsigned char c) { return c == '\n' || (c >= ' ' && c < 0x7F); }))
        << name;
  }
  EXPECT_FALSE(CompletionScript("tcsh", commands));
  EXPECT_FALSE(CompletionScript("", commands));
}

}  // namespace
}  // namespace prov::cli
