#include "provisioner/pull/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::pull {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Challenges, AreReadWithTheirParameters) {
  const auto all = ParseChallenges(
      R"(Bearer realm="https://t.example.com/a?b=c,d",service=reg , scope="repository:x:pull,push", Basic realm="a \"b\"")");
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].scheme, "bearer");
  EXPECT_EQ(all[0].Get("realm"), "https://t.example.com/a?b=c,d");
  EXPECT_EQ(all[0].Get("service"), "reg");
  EXPECT_EQ(all[0].Get("scope"), "repository:x:pull,push");
  EXPECT_EQ(all[0].Get("error"), "");
  EXPECT_EQ(all[1].scheme, "basic");
  EXPECT_EQ(all[1].Get("realm"), "a \"b\"");
}

TEST(Challenges, AMalformedRestIsLeftOut) {
  EXPECT_THAT(ParseChallenges(""), IsEmpty());
  EXPECT_THAT(ParseChallenges("\"x\""), IsEmpty());
  EXPECT_THAT(ParseChallenges("a=b"), IsEmpty());
  EXPECT_THAT(ParseChallenges("Basic \"x\", Bearer"), SizeIs(1));
  EXPECT_THAT(ParseChallenges("Bearer realm=\"unended"), SizeIs(1));
  EXPECT_THAT(ParseChallenges("Negotiate, NTLM"), SizeIs(2));
}

}  // namespace
}  // namespace prov::pull
