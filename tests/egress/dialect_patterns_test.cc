#include "provisioner/egress/dialect_patterns.h"

#include <gtest/gtest.h>

namespace prov::egress {
namespace {

constexpr auto kNone = PatternSet::kNone;

IpAddress Address(std::string_view text) { return IpAddress::Parse(text).value(); }

TEST(PatternSet, ANameIsItselfOrBelow) {
  PatternSet set;
  set.AddName("foo.com", true, true, 0);
  set.AddName("bar.com", false, true, 1);
  set.AddName("baz.com", true, false, 2);
  EXPECT_EQ(set.FindName("foo.com"), 0U);
  EXPECT_EQ(set.FindName("a.b.foo.com"), 0U);
  EXPECT_EQ(set.FindName("xfoo.com"), kNone);
  EXPECT_EQ(set.FindName("bar.com"), kNone);
  EXPECT_EQ(set.FindName("a.bar.com"), 1U);
  EXPECT_EQ(set.FindName("baz.com"), 2U);
  EXPECT_EQ(set.FindName("a.baz.com"), kNone);
  EXPECT_EQ(set.FindName("com"), kNone);
  EXPECT_EQ(set.FindName(""), kNone);
}

TEST(PatternSet, TheEmptyNameIsBelowAFinalDot) {
  PatternSet set;
  set.AddName("", false, true, 0);
  EXPECT_EQ(set.FindName("foo.com."), 0U);
  EXPECT_EQ(set.FindName("foo.com"), kNone);
}

TEST(PatternSet, TheFirstEntryIsFound) {
  PatternSet set;
  set.AddName("com", true, true, 3);
  set.AddName("foo.com", true, true, 4);
  set.AddName("foo.com", true, true, 5);
  EXPECT_EQ(set.FindName("foo.com"), 3U);
  set.AddNetwork(Address("10.0.0.0"), 104, AddressFamily::kIpv4, 6);
  set.AddAddress(Address("10.0.0.1"), AddressFamily::kIpv4, 7);
  EXPECT_EQ(set.FindAddress(Address("10.0.0.1"), AddressFamily::kIpv4), 6U);
}

TEST(PatternSet, APortHoldsAnEntryToIt) {
  PatternSet set;
  set.AddName("foo.com", true, true, 0, 8080);
  set.AddName("foo.com", true, false, 1);
  EXPECT_EQ(set.FindName("foo.com", 8080), 0U);
  EXPECT_EQ(set.FindName("foo.com", 80), 1U);
  EXPECT_EQ(set.FindName("a.foo.com", 80), kNone);
  EXPECT_EQ(set.FindName("a.foo.com", 8080), 0U);
  set.AddAddress(Address("::1"), AddressFamily::kIpv6, 2, 443);
  EXPECT_EQ(set.FindAddress(Address("::1"), AddressFamily::kIpv6, 443), 2U);
  EXPECT_EQ(set.FindAddress(Address("::1"), AddressFamily::kIpv6, 444), kNone);
}

TEST(PatternSet, NetworksAndFamilies) {
  PatternSet set;
  set.AddNetwork(Address("10.128.0.0"), 96 + 9, AddressFamily::kIpv4, 0);
  set.AddNetwork(Address("::"), 0, AddressFamily::kIpv6, 1);
  EXPECT_EQ(set.FindAddress(Address("10.200.1.1"), AddressFamily::kIpv4), 0U);
  EXPECT_EQ(set.FindAddress(Address("10.127.1.1"), AddressFamily::kIpv4), kNone);
  EXPECT_EQ(set.FindAddress(Address("2001:db8::1"), AddressFamily::kIpv6), 1U);
  EXPECT_EQ(set.FindAddress(Address("::ffff:10.200.1.1"), AddressFamily::kIpv6), 1U);
}

TEST(MatchesGlob, StarsStandForAnyRun) {
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("10.*", "10.1.2.3"));
  EXPECT_FALSE(MatchesGlob("10.*", "110.1.2.3"));
  EXPECT_TRUE(MatchesGlob("*a*b", "xaxbab"));
  EXPECT_FALSE(MatchesGlob("*a*b", "xaxba"));
  EXPECT_TRUE(MatchesGlob("a**", "a"));
  EXPECT_FALSE(MatchesGlob("", "a"));
  // Backtracking stays quadratic.
  EXPECT_FALSE(MatchesGlob("*a*a*a*a*a*a*a*a*b", std::string(2000, 'a')));
}

}  // namespace
}  // namespace prov::egress
