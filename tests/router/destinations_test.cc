#include "provisioner/router/destinations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/router/samples.h"
#include "tests/support/result.h"

namespace prov::router {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Error DestinationError(RouterKind kind, std::string_view text) {
  RouterPolicy out{.kind = kind, .where = "list"};
  return ErrorIn(ReadDestinations(text, out));
}

// The script's own words come first, and the place is the line.
void ExpectRefused(RouterKind kind, std::string_view text, std::size_t line, std::string_view script_words) {
  const Error error = DestinationError(kind, text);
  EXPECT_EQ(error.code, Code::kDestination) << text;
  EXPECT_THAT(error.message, StartsWith(std::string(script_words))) << text;
  EXPECT_EQ(error.where, line == 0 ? "list" : fmt::format("list: line {}", line)) << text;
}

void ExpectFinding(RouterKind kind, std::string_view text, FindingCode code, std::string_view part) {
  const RouterPolicy policy = ListedPolicy(kind, text);
  ASSERT_EQ(policy.findings.size(), 1U) << text;
  EXPECT_EQ(policy.findings[0].code, code.name()) << text;
  EXPECT_THAT(policy.findings[0].message, HasSubstr(std::string(part))) << text;
}

constexpr auto kRedirect = RouterKind::kRedirect;
constexpr auto kHttp = RouterKind::kHttpProxy;
constexpr auto kDns = RouterKind::kDnsProxy;

TEST(RedirectDestinations, PortsAndTheFallback) {
  const RouterPolicy policy = ListedPolicy(kRedirect,
                                           "\n# rules\n  80 tcp 10.4.5.6  \n8080   udp  10.7.8.9 443\n\t\n10.1.2.3\n"
                                           "# nothing behind it\n");
  ASSERT_EQ(policy.redirect.size(), 3U);
  EXPECT_EQ(policy.redirect[0].line, 3U);
  EXPECT_EQ(policy.redirect[0].port, 80);
  EXPECT_EQ(policy.redirect[0].to_port, 0);
  EXPECT_EQ(policy.redirect[0].protocol, Protocol::kTcp);
  EXPECT_EQ(policy.redirect[0].to.ToString(), "10.4.5.6");
  EXPECT_EQ(policy.redirect[1].protocol, Protocol::kUdp);
  EXPECT_EQ(policy.redirect[1].to_port, 443);
  EXPECT_TRUE(policy.redirect[2].fallback);
  EXPECT_EQ(policy.redirect[2].line, 6U);
  EXPECT_TRUE(policy.findings.empty());
  EXPECT_THAT(policy.text, StartsWith("\n# rules"));
}

TEST(RedirectDestinations, WhatTheScriptRefuses) {
  ExpectRefused(kRedirect, "", 0, "EGRESS_DESTINATION unspecified");
  ExpectRefused(kRedirect, "not an IP address", 1, "EGRESS_DESTINATION value 'not an IP address' is invalid");
  ExpectRefused(kRedirect, "80 tcp 10.4.5.6\ninvalid", 2, "EGRESS_DESTINATION value 'invalid' is invalid");
  ExpectRefused(kRedirect, "80 sctp 10.4.5.6", 1, "EGRESS_DESTINATION value '80 sctp 10.4.5.6' is invalid");
  ExpectRefused(kRedirect, "10.1.2.3\n\n80 tcp 10.4.5.6", 3, "EGRESS_DESTINATION fallback IP must be the last line");
  ExpectRefused(kRedirect, "10.1.2.3\n10.4.5.6", 2, "EGRESS_DESTINATION fallback IP must be the last line");
  ExpectRefused(kRedirect, "800000 tcp 10.4.5.6", 1, "Invalid port: 800000, must be in the range 1 to 65535");
  ExpectRefused(kRedirect, "0 tcp 10.4.5.6", 1, "Invalid port: 0, must be in the range 1 to 65535");
  ExpectRefused(kRedirect, "80 tcp 10.4.5.6 65536", 1, "Invalid port: 65536, must be in the range 1 to 65535");
  ExpectRefused(kRedirect, "80 tcp 10.4.5.6\n80 udp 10.7.8.9 900", 2,
                "EGRESS_DESTINATION localport 80 is already used, must be unique for each destination");
  ExpectRefused(kRedirect, "10.0.0.0/8", 1, "EGRESS_DESTINATION value '10.0.0.0/8' is invalid");
}

TEST(RedirectDestinations, WhatTheScriptTakesAndNothingCanUse) {
  ExpectRefused(kRedirect, "999.1.1.1", 1, "EGRESS_DESTINATION value '999.1.1.1' is invalid");
  ExpectRefused(kRedirect, "80 tcp 10.0.0.256", 1, "EGRESS_DESTINATION value '80 tcp 10.0.0.256' is invalid");
  ExpectRefused(kRedirect, "80 tcp 010.0.0.1", 1, "EGRESS_DESTINATION value '80 tcp 010.0.0.1' is invalid");
  ExpectRefused(kRedirect, "080 tcp 10.0.0.1", 1, "Invalid port: 080, must be in the range 1 to 65535 without leading");
  ExpectRefused(kRedirect, std::string_view("80 tcp 10.0.0.1\0", 16), 0, "holds a NUL byte");
}

TEST(RedirectDestinations, UsualMistakesAreNamed) {
  EXPECT_THAT(DestinationError(kRedirect, "80 TCP 10.0.0.1").message, EndsWith("lower case, tcp"));
  EXPECT_THAT(DestinationError(kRedirect, "80 tcp 10.0.0.1\r\n").message, HasSubstr("carriage return"));
  EXPECT_THAT(DestinationError(kRedirect, "80\ttcp\t10.0.0.1").message, HasSubstr("spaces instead of tabs"));
  EXPECT_THAT(DestinationError(kRedirect, "80 tcp 10.0.0.1 # web").message, HasSubstr("a line of its own"));
  EXPECT_THAT(DestinationError(kRedirect, "\u201C10.0.0.1").message, HasSubstr("typographic"));
}

// A proxy.env where a list belongs.
TEST(Destinations, PasswordsAreHidden) {
  for (const RouterKind kind : {kRedirect, kHttp, kDns}) {
    for (const char* line : {"HTTP_PROXY=http://user:sesame@proxy.example:3128", "http://sesame@proxy.example:3128",
                             "80 tcp http://user:sesame@proxy.example", "user:sesame@proxy.example"})
      EXPECT_THAT(DestinationError(kind, line).message, Not(HasSubstr("sesame"))) << line;
    EXPECT_THAT(DestinationError(kind, "NO_PROXY=.svc").message, HasSubstr("holds no NAME=VALUE")) << NameOf(kind);
  }
}

TEST(RedirectDestinations, AddressesThatNothingReaches) {
  for (const char* address : {"0.0.0.0", "127.0.0.1", "224.0.0.1", "255.255.255.255"})
    ExpectFinding(kRedirect, address, "router-target", address);
  ExpectFinding(kRedirect, "# nothing\n", "router-empty", "forwards nothing");
}

TEST(HttpDestinations, EachForm) {
  const RouterPolicy policy = ListedPolicy(
      kHttp, "\n!*.bad.example.com\n*.example.com\nHost.example.net\n\n192.168.0.0/16\nfe80::/10\n!10.0.0.1\n*\n*\n");
  ASSERT_EQ(policy.http.size(), 8U);
  EXPECT_FALSE(policy.http[0].allow);
  EXPECT_EQ(policy.http[0].line, 2U);
  EXPECT_EQ(policy.http[0].text, ".bad.example.com");
  EXPECT_EQ(policy.http[1].match, HttpRule::Match::kDomain);
  EXPECT_EQ(policy.http[2].text, "Host.example.net");
  EXPECT_EQ(policy.http[3].match, HttpRule::Match::kNetwork);
  EXPECT_EQ(policy.http[3].network, IpNetwork::Parse("192.168.0.0/16"));
  EXPECT_EQ(policy.http[4].text, "fe80::/10");
  EXPECT_EQ(policy.http[5].network, IpNetwork::Parse("10.0.0.1/32"));
  EXPECT_FALSE(policy.http[5].allow);
  EXPECT_EQ(policy.http[7].match, HttpRule::Match::kAll);
  EXPECT_TRUE(policy.findings.empty());
}

TEST(HttpDestinations, WhatTheScriptRefuses) {
  ExpectRefused(kHttp, "", 0, "No EGRESS_HTTP_PROXY_DESTINATION specified");
  ExpectRefused(kHttp, "*\nexample.com", 2, "Wildcard must be last rule, if present");
  ExpectRefused(kHttp, "foo bar", 1, "Bad destination 'foo bar'");
  ExpectRefused(kHttp, "!foo_bar", 1, "Bad destination 'foo_bar'");
  ExpectRefused(kHttp, "https://example.com", 1, "Bad destination 'https://example.com'");
  ExpectRefused(kHttp, "example.com:443", 1, "Bad destination 'example.com:443'");
  ExpectRefused(kHttp, "*example.com", 1, "Bad destination '*example.com'");
  ExpectRefused(kHttp, "! example.com", 1, "Bad destination ' example.com'");
}

TEST(HttpDestinations, WhatTheScriptTakesAndSquidDoesNot) {
  ExpectRefused(kHttp, "cafe.de", 1, "Bad destination 'cafe.de'");
  EXPECT_THAT(DestinationError(kHttp, "cafe.de").message, HasSubstr("write *.cafe.de"));
  ExpectRefused(kHttp, "1.2.3.256", 1, "Bad destination '1.2.3.256'");
  ExpectRefused(kHttp, "1.2.3", 1, "Bad destination '1.2.3'");
  ExpectRefused(kHttp, "10.0.0.0/33", 1, "Bad destination '10.0.0.0/33'");
  ExpectRefused(kHttp, "10.0.0.0/08", 1, "Bad destination '10.0.0.0/08'");
  ExpectRefused(kHttp, "fd00::/129", 1, "Bad destination 'fd00::/129'");
  ExpectRefused(kHttp, "::/0", 1, "Bad destination '::/0'");
  ExpectRefused(kHttp, "10.0.0.0/0", 1, "Bad destination '10.0.0.0/0'");
  ExpectRefused(kHttp, "a..b", 1, "Bad destination 'a..b'");
  ExpectRefused(kHttp, "*.a..example", 1, "Bad destination '*.a..example'");
}

TEST(HttpDestinations, WhatMeansSomethingElse) {
  ExpectFinding(kHttp, "192.168.1.5/24", "router-host-bits", "it means 192.168.1.0/24");
  ExpectFinding(kHttp, "0.0.0.0/0", "router-all-addresses", "a name that does not resolve");
  ExpectFinding(kHttp, "www\nexample.com", "router-name", "skips the line");
  ExpectFinding(kHttp, "example.com.", "router-name", "never matches");
  ExpectFinding(kHttp, "*.none", "router-name", "no name in DNS");
  ExpectFinding(kHttp, "# all\n", "router-empty", "denies everything");
}

TEST(DnsDestinations, AddressesAndNames) {
  const RouterPolicy policy = ListedPolicy(
      kDns, "80 11.12.13.14\n8080 21.22.23.24 100\n# a name\n9000  foo.example.com\n9001 a-b.example 200\n");
  ASSERT_EQ(policy.dns.size(), 4U);
  EXPECT_FALSE(policy.dns[0].is_name);
  EXPECT_EQ(policy.dns[0].to_port, 80);
  EXPECT_EQ(policy.dns[1].to_port, 100);
  EXPECT_TRUE(policy.dns[2].is_name);
  EXPECT_EQ(policy.dns[2].to_port, 9000);
  EXPECT_EQ(policy.dns[2].line, 4U);
  EXPECT_EQ(policy.dns[3].to, "a-b.example");
}

TEST(DnsDestinations, WhatTheScriptRefuses) {
  ExpectRefused(kDns, "", 0, "Must specify EGRESS_DNS_PROXY_DESTINATION");
  ExpectRefused(kDns, "80 11.12.13.14\ninvalid", 2, "Bad destination 'invalid'");
  ExpectRefused(kDns, "8080 invalid", 1, "Bad destination '8080 invalid'");
  ExpectRefused(kDns, "80 tcp 10.0.0.1", 1, "Bad destination '80 tcp 10.0.0.1'");
  ExpectRefused(kDns, "99999 11.12.13.14", 1, "Invalid port: 99999, must be in the range 1 to 65535");
  ExpectRefused(kDns, "80 11.12.13.14 88888", 1, "Invalid port: 88888, must be in the range 1 to 65535");
  ExpectRefused(kDns, "80 11.12.13.14\n80 21.22.23.24 100", 2,
                "Proxy port 80 already used, must be unique for each destination");
}

TEST(DnsDestinations, WhatTheScriptTakesAndHaproxyCantUse) {
  ExpectRefused(kDns, "80 1.2.3.456", 1, "Bad destination '80 1.2.3.456'");
  ExpectRefused(kDns, "80 foo..bar", 1, "Bad destination '80 foo..bar'");
  ExpectRefused(kDns, "80 foo.bar-", 1, "Bad destination '80 foo.bar-'");
  ExpectRefused(kDns, "80 foo.1.2", 1, "Bad destination '80 foo.1.2'");
  ExpectRefused(kDns, "010 foo.bar", 1, "Invalid port: 010");
}

TEST(Destinations, ACheckGoesOnBehindAWrongLine) {
  RouterPolicy policy{.kind = kHttp, .where = "list"};
  const Faults faults = CheckDestinations("a b\nexample.com\ncafe.de\n", policy);
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].where, "list: line 1");
  EXPECT_EQ(faults[1].where, "list: line 3");
  ASSERT_EQ(policy.http.size(), 1U);
  EXPECT_EQ(policy.http[0].line, 2U);
  EXPECT_TRUE(policy.findings.empty());
}

TEST(Destinations, FaultsAndFindingsHaveAnEnd) {
  std::string wrong;
  std::string odd;
  for (int i = 0; i < 1000; ++i) {
    wrong += "a b\n";
    odd += fmt::format("{} tcp 127.0.0.1\n", i + 1);
  }
  RouterPolicy policy{.kind = kHttp, .where = "list"};
  EXPECT_EQ(CheckDestinations(wrong, policy).size(), kMostFaults);
  const Findings findings = ListedPolicy(kRedirect, odd).findings;
  ASSERT_EQ(findings.size(), CappedFindings::kMost + 1);
  EXPECT_EQ(findings.back().message, "and 980 more of the same kind");
}

TEST(Destinations, TooManyLines) {
  std::string text;
  for (std::size_t i = 0; i <= kMostDestinations; ++i) text += "a.example\n";
  EXPECT_EQ(DestinationError(kHttp, text).code, Code::kTooLarge);
}

TEST(Destinations, SourceAndGateway) {
  RouterPolicy policy;
  ASSERT_TRUE(ReadSource("192.0.2.10/24", "here", policy));
  EXPECT_EQ(policy.source->address.ToString(), "192.0.2.10");
  EXPECT_EQ(policy.source->prefix, 24U);
  ASSERT_TRUE(ReadSource("192.0.2.11", "here", policy));
  EXPECT_FALSE(policy.source->prefix);
  for (const char* text :
       {"", "not an IP address", "1.2.3.4/99", "1.2.3.4/033", "1.2.3.4/", "999.1.1.1", "2001:db8::1"}) {
    const auto read = ReadSource(text, "here", policy);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, StartsWith("EGRESS_SOURCE unspecified or invalid")) << text;
    EXPECT_EQ(read.error().where, "here");
  }
  ASSERT_TRUE(ReadGateway("192.0.2.1", "here", policy));
  for (const char* text : {"", "1.1.1.1/24", "300.1.1.1"}) {
    const auto read = ReadGateway(text, "here", policy);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, StartsWith("EGRESS_GATEWAY unspecified or invalid")) << text;
  }
  policy.is_cni = true;
  EXPECT_TRUE(ReadSource("2001:db8::1/64", "here", policy));
  EXPECT_TRUE(ReadGateway("2001:db8::ff", "here", policy));
}

}  // namespace
}  // namespace prov::router
