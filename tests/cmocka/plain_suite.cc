// Ordinary GoogleTest tests with every outcome, for listener_test.cc to run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace {

TEST(Plain, Passes) { SUCCEED(); }

TEST(Plain, FailsTwice) {
  EXPECT_TRUE(false) << "first";
  ADD_FAILURE_AT("plain.cc", 7) << "second ]]> <b>";
}

TEST(Plain, Skips) { GTEST_SKIP() << "why"; }
TEST(Plain, Throws) { throw std::runtime_error("thrown"); }
TEST(Plain, DISABLED_NotRun) { FAIL(); }

class BrokenSuite : public testing::Test {
 protected:
  static void SetUpTestSuite() { FAIL() << "no ground to stand on"; }
};
TEST_F(BrokenSuite, NeverRuns) { FAIL(); }

class BrokenEnd : public testing::Test {
 protected:
  static void TearDownTestSuite() { FAIL() << "left dirty"; }
};
TEST_F(BrokenEnd, Passes) { SUCCEED(); }

class Broken : public testing::Environment {
  void SetUp() override {
    if (std::getenv("BREAK_ENVIRONMENT") != nullptr) FAIL() << "no environment";
  }
};
const testing::Environment* const kBroken = testing::AddGlobalTestEnvironment(new Broken);

class Many : public testing::TestWithParam<int> {};
TEST_P(Many, Fails) { EXPECT_LT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(Of300, Many, testing::Range(0, 300));

}  // namespace
