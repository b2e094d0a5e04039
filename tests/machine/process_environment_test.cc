#include "provisioner/machine/process_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string Entry(std::string_view text) { return ToUtf16Le(text) + std::string(2, '\0'); }
const std::string kEnd(2, '\0');

std::vector<std::string> Parsed(const std::string& bytes) {
  const auto variables = ParseEnvironmentBlock(bytes);
  EXPECT_TRUE(variables) << variables.error().message;
  return variables.value_or(std::vector<std::string>{"failed"});
}

TEST(EnvironmentBlock, VariablesKeepTheirOrderAndTheirBytes) {
  EXPECT_THAT(Parsed(Entry("Path=C:\\Windows") + Entry("HTTP_PROXY=http://a:b=c@p:3128/") + Entry("ü=€ 😀") +
                     Entry("Empty=") + kEnd),
              ElementsAre("Path=C:\\Windows", "HTTP_PROXY=http://a:b=c@p:3128/", "ü=€ 😀", "Empty="));
}

TEST(EnvironmentBlock, WhatFollowsItsEndCountsForNothing) {
  EXPECT_THAT(Parsed(Entry("A=1") + kEnd + Entry("B=2") + kEnd + "x"), ElementsAre("A=1"));
  EXPECT_THAT(Parsed(kEnd), IsEmpty());
}

TEST(EnvironmentBlock, CurrentFoldersOfShellsAreNoVariables) {
  EXPECT_THAT(Parsed(Entry("=C:=C:\\Users") + Entry("=ExitCode=00000000") + Entry("A=1") + Entry("=::=::\\") + kEnd),
              ElementsAre("A=1"));
}

// A NUL byte at an odd place is half of a unit, not an end.
TEST(EnvironmentBlock, UnitsAreTwoBytes) {
  EXPECT_THAT(Parsed(Entry("A=Ā") + Entry("B=2") + kEnd), ElementsAre("A=Ā", "B=2"));
}

TEST(EnvironmentBlock, BlockThatDoesNotEndIsAnError) {
  for (const std::string& bytes :
       {std::string(), std::string(1, '\0'), ToUtf16Le("A=1"), Entry("A=1"), Entry("A=1") + std::string(1, '\0')}) {
    const auto variables = ParseEnvironmentBlock(bytes);
    ASSERT_FALSE(variables) << bytes.size();
    EXPECT_EQ(variables.error().code, Code::kIo);
  }
}

TEST(EnvironmentBlock, UnpairedSurrogatesAreReplacedAndPairsAreKept) {
  const std::string high("\x3D\xD8", 2);
  const std::string low("\x00\xDE", 2);
  EXPECT_THAT(Parsed(ToUtf16Le("A=") + high + low + kEnd + kEnd), ElementsAre("A=\U0001F600"));
  EXPECT_THAT(Parsed(ToUtf16Le("A=") + low + high + kEnd + kEnd), ElementsAre("A=\uFFFD\uFFFD"));
  EXPECT_THAT(Parsed(ToUtf16Le("A=") + high + high + low + kEnd + kEnd), ElementsAre("A=\uFFFD\U0001F600"));
}

TEST(EnvironmentBlock, IsReadUpToItsLimit) {
  const std::string most = Entry("A=" + std::string(kMostEnvironmentBytes / 2 - 4, 'x')) + kEnd;
  ASSERT_EQ(most.size(), kMostEnvironmentBytes);
  EXPECT_EQ(Parsed(most).size(), 1U);
  EXPECT_FALSE(ParseEnvironmentBlock(Entry("B=") + most));
}

}  // namespace
}  // namespace prov::machine
