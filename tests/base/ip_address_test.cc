#include "provisioner/base/ip_address.h"

#include <gtest/gtest.h>

#include <random>

#include "provisioner/base/text.h"

namespace prov {
namespace {

TEST(IpAddress, ParsesWhatGoParses) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"10.1.2.3", "10.1.2.3"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"2001:DB8::1", "2001:db8::1"},
      {"2001:0db8:0:0:0:0:0:1", "2001:db8::1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"2001:0:0:1:0:0:0:1", "2001:0:0:1::1"},
      {"1:0:0:2:0:0:3:4", "1::2:0:0:3:4"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
      {"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
      {"::ffff:10.1.2.3", "10.1.2.3"},
      {"::FFFF:0a01:0203", "10.1.2.3"},
      {"::1.2.3.4", "::102:304"},
      {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
      {"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
      {"0000:0000:0000:0000:0000:ffff:255.255.255.255", "255.255.255.255"},
  };
  for (const auto& [text, expected] : kCases) {
    const auto address = IpAddress::Parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->ToString(), expected) << text;
    EXPECT_EQ(IpAddress::Parse(address->ToString()), address) << text;
  }
}

TEST(IpAddress, RefusesEverythingElse) {
  constexpr std::string_view kOthers =
      "10.1.2 10.1.2.3.4 10.1.2.256 010.1.2.3 10.1.2.00 10..2.3 10.1.2. .1.2.3 10.1.2.0003 0x7f.0.0.1 "
      "2130706433 10.1.2.-1 +1.2.3.4 [::1] ::1%eth0 fe80::1%25eth0 : ::: 1: :1 1::2::3 1:2:3:4:5:6:7 "
      "1:2:3:4:5:6:7:8:9 12345:: g:: 1:2:3:4:5:6:7:8:: ::1:2:3:4:5:6:7:8 ::ffff:1.2.3 ::ffff:01.2.3.4 "
      "1.2.3.4:: 1:2:3:4:5:6:7:1.2.3.4 ::1.2.3.4:5 1:2:3:4:5:1.2.3.4 00001:: ::ffff:1.2.3.256 localhost "
      "10.1.2.3/8 0000:0000:0000:0000:0000:0000:0000:0000:0000:0000";
  for (const std::string_view text : Split(kOthers, ' ')) EXPECT_FALSE(IpAddress::Parse(text)) << text;
  for (const char* text : {"", " 10.1.2.3", "10.1.2.3 "}) EXPECT_FALSE(IpAddress::Parse(text)) << text;
}

TEST(IpAddress, KnowsFamilyAndLoopback) {
  struct {
    std::string_view text;
    bool ipv4;
    bool loopback;
  } const kCases[] = {
      {"127.0.0.1", true, true},  {"127.255.0.9", true, true}, {"::ffff:127.0.0.1", true, true},
      {"::1", false, true},       {"128.0.0.1", true, false},  {"::", false, false},
      {"::2", false, false},      {"::7f00:1", false, false},  {"1::1", false, false},
      {"126.0.0.1", true, false},
  };
  for (const auto& c : kCases) {
    const auto address = IpAddress::Parse(c.text);
    ASSERT_TRUE(address) << c.text;
    EXPECT_EQ(address->IsIpv4(), c.ipv4) << c.text;
    EXPECT_EQ(address->IsLoopback(), c.loopback) << c.text;
  }
}

TEST(IpAddress, TextRoundTripsForRandomBytes) {
  constexpr unsigned kSeed = 20260727;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    IpAddress::Bytes bytes{};
    // Many zero bytes, so that "::" occurs in all places.
    for (auto& byte : bytes) byte = random() % 3 == 0 ? static_cast<std::uint8_t>(random()) : std::uint8_t{0};
    const IpAddress address(bytes);
    const auto again = IpAddress::Parse(address.ToString());
    ASSERT_TRUE(again) << address.ToString();
    EXPECT_EQ(*again, address) << address.ToString();
  }
}

TEST(IpNetwork, ClearsHostBits) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"10.0.0.1/8", "10.0.0.0/8"},
      {"10.1.2.3/32", "10.1.2.3/32"},
      {"1.2.3.4/0", "0.0.0.0/0"},
      {"172.30.255.1/14", "172.28.0.0/14"},
      {"10.0.0.0/08", "10.0.0.0/8"},
      {"10.0.0.0/00000008", "10.0.0.0/8"},
      {"2001:db8:ffff::1/33", "2001:db8:8000::/33"},
      {"::1/128", "::1/128"},
      {"::/0", "::/0"},
      {"::ffff:10.1.2.3/104", "10.0.0.0/8"},
      {"::ffff:0.0.0.0/96", "0.0.0.0/0"},
      {"::ffff:10.0.0.0/50", "::/50"},
  };
  for (const auto& [text, expected] : kCases) {
    const auto network = IpNetwork::Parse(text);
    ASSERT_TRUE(network) << text;
    EXPECT_EQ(network->ToString(), expected) << text;
    EXPECT_EQ(network->IsIpv4(), expected.find('.') != std::string_view::npos) << text;
  }
  EXPECT_EQ(IpNetwork::Parse("10.1.2.3/8"), IpNetwork::Parse("10.9.9.9/8"));
  EXPECT_EQ(IpNetwork::Parse("10.1.2.3/8")->address().ToString(), "10.0.0.0");
  EXPECT_EQ(IpNetwork::Parse("10.1.2.3/8")->prefix(), 8U);
}

TEST(IpNetwork, RefusesMalformedOnes) {
  for (const std::string_view text :
       {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0/8", "/8", "10.0.0.0/8/8", "10.0.0.0/-1",
        "10.0.0.0/+8", "10.0.0.0/ 8", "10.0.0.0/8 ", "10.0.0.0/255.0.0.0", "fe80::%1/64", "10.0.0.0/a",
        "10.0.0.0/99999999999999999999", "10.0.0.0/000000008", "[::1]/128"}) {
    EXPECT_FALSE(IpNetwork::Parse(text)) << text;
  }
}

TEST(IpNetwork, Contains) {
  struct {
    std::string_view network;
    std::string_view address;
    bool expected;
  } const kCases[] = {
      {"10.0.0.0/8", "10.255.255.255", true},
      {"10.0.0.0/8", "11.0.0.0", false},
      {"10.0.0.0/8", "9.255.255.255", false},
      {"10.0.0.0/8", "::ffff:10.1.1.1", true},
      {"0.0.0.0/0", "255.1.1.1", true},
      {"0.0.0.0/0", "::1", false},
      {"::/0", "2001:db8::1", true},
      {"::/0", "10.1.1.1", false},
      {"172.16.0.0/12", "172.31.255.255", true},
      {"172.16.0.0/12", "172.32.0.0", false},
      {"10.1.2.3/32", "10.1.2.3", true},
      {"10.1.2.3/32", "10.1.2.2", false},
      {"2001:db8::/32", "2001:db8::1", true},
      {"2001:db8::/32", "2001:db9::", false},
      {"2001:db8::/127", "2001:db8::1", true},
      {"2001:db8::/127", "2001:db8::2", false},
      {"::ffff:0:0/90", "10.1.1.1", false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(IpNetwork::Parse(c.network)->Contains(*IpAddress::Parse(c.address)), c.expected)
        << c.network << " " << c.address;
  }
}

TEST(IpNetwork, ContainsNetworks) {
  const auto contains = [](std::string_view a, std::string_view b) {
    return IpNetwork::Parse(a)->Contains(*IpNetwork::Parse(b));
  };
  EXPECT_TRUE(contains("10.0.0.0/8", "10.1.0.0/16"));
  EXPECT_TRUE(contains("10.0.0.0/8", "10.0.0.0/8"));
  EXPECT_FALSE(contains("10.1.0.0/16", "10.0.0.0/8"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0/16"));
  EXPECT_FALSE(contains("::/0", "10.0.0.0/8"));
  EXPECT_FALSE(contains("0.0.0.0/0", "fd00::/8"));
}

}  // namespace
}  // namespace prov
