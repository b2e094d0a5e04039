#include "ignition/rendered.h"

#include <gtest/gtest.h>

namespace prov::ignition {
namespace {

TEST(PoolOfRenderedName, ReadsThePool) {
  EXPECT_EQ(PoolOfRenderedName("rendered-worker-0123456789abcdef0123456789abcdef"), "worker");
  EXPECT_EQ(PoolOfRenderedName("rendered-worker-rt-0123456789abcdef0123456789abcdef"), "worker-rt");
  for (const char* name :
       {"", "rendered-", "rendered-worker", "99-worker-ssh", "rendered-worker-0123456789abcdef0123456789abcde",
        "rendered-worker-0123456789abcdef0123456789abcdeF", "rendered-worker-0123456789abcdef0123456789abcdefa",
        "rendered-0123456789abcdef0123456789abcdef", "rendered--0123456789abcdef0123456789abcdef",
        "xrendered-worker-0123456789abcdef0123456789abcdef", "rendered-worker_0123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(PoolOfRenderedName(name), std::nullopt) << name;
  }
}

TEST(ParseTimestamp, OrdersInstants) {
  const auto at = [](const char* text) {
    const auto time = ParseTimestamp(text);
    EXPECT_TRUE(time) << text;
    return time.value_or(Timestamp{});
  };
  EXPECT_EQ(at("1970-01-01T00:00:00Z").seconds, 0);
  EXPECT_EQ(at("2026-01-15T10:20:30Z").seconds, 1768472430);
  EXPECT_EQ(at("2026-01-15T12:20:30+02:00"), at("2026-01-15T10:20:30Z"));
  EXPECT_EQ(at("2026-01-15t09:50:30-00:30"), at("2026-01-15T10:20:30z"));
  EXPECT_EQ(at("2026-01-15T10:20:30.500Z"), at("2026-01-15T10:20:30.5Z"));
  EXPECT_LT(at("2026-01-15T10:20:30Z"), at("2026-01-15T10:20:30.05Z"));
  EXPECT_LT(at("2026-01-15T10:20:30.05Z"), at("2026-01-15T10:20:30.5Z"));
  EXPECT_LT(at("2025-12-31T23:59:59Z"), at("2026-01-01T00:00:00Z"));
}

TEST(ParseTimestamp, RefusesTheRest) {
  for (const char* text : {"",
                           "2026-01-15",
                           "2026-01-15T10:20:30",
                           "2026-01-15 10:20:30Z",
                           "2026-13-15T10:20:30Z",
                           "2026-02-30T10:20:30Z",
                           "2026-00-10T10:20:30Z",
                           "2026-01-15T24:20:30Z",
                           "2026-01-15T10:60:30Z",
                           "2026-01-15T10:20:61Z",
                           "2026-01-15T10:20:30.Z",
                           "2026-01-15T10:20:30X",
                           "2026-01-15T10:20:30+0200",
                           "2026-01-15T10:20:30+25:00",
                           "2026-01-15T10:20:30+02:60",
                           "2026-01-15T10:20:30Z ",
                           "2026/01/15T10:20:30Z",
                           "20a6-01-15T10:20:30Z",
                           "2026-01-15T10:20:30.5",
                           "2026-01-15T10-20:30Z"}) {
    EXPECT_FALSE(ParseTimestamp(text)) << text;
  }
}

}  // namespace
}  // namespace prov::ignition
