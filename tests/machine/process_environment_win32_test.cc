#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/machine/process_environment.h"

namespace prov::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_view_literals;

std::vector<std::string> Parsed(std::wstring_view block) {
  const auto variables = ParseEnvironmentBlock(block);
  EXPECT_TRUE(variables) << variables.error().message;
  return variables.value_or(std::vector<std::string>{"failed"});
}

TEST(EnvironmentBlock, VariablesKeepTheirOrderAndTheirCharacters) {
  EXPECT_THAT(Parsed(L"Path=C:\\Windows\0HTTP_PROXY=http://a:b=c@p:3128/\0ü=€ \U0001F600\0Empty=\0\0"sv),
              ElementsAre("Path=C:\\Windows", "HTTP_PROXY=http://a:b=c@p:3128/", "ü=€ \U0001F600", "Empty="));
}

TEST(EnvironmentBlock, WhatFollowsItsEndCountsForNothing) {
  EXPECT_THAT(Parsed(L"A=1\0\0B=2\0\0x"sv), ElementsAre("A=1"));
  EXPECT_THAT(Parsed(L"\0"sv), IsEmpty());
}

TEST(EnvironmentBlock, CurrentFoldersOfShellsAreNoVariables) {
  EXPECT_THAT(Parsed(L"=C:=C:\\Users\0=ExitCode=00000000\0A=1\0=::=::\\\0\0"sv), ElementsAre("A=1"));
}

TEST(EnvironmentBlock, BlockThatDoesNotEndIsAnError) {
  for (const std::wstring_view block : {L""sv, L"A=1"sv, L"A=1\0"sv}) {
    const auto variables = ParseEnvironmentBlock(block);
    ASSERT_FALSE(variables) << block.size();
    EXPECT_EQ(variables.error().code, Code::kIo);
  }
}

TEST(EnvironmentBlock, UnpairedSurrogatesAreReplaced) {
  EXPECT_THAT(Parsed(L"A=\xDE00\xD83D\0\0"sv), ElementsAre("A=\uFFFD\uFFFD"));
}

}  // namespace
}  // namespace prov::machine
