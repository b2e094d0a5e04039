#include "provisioner/router/evaluation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/router/samples.h"
#include "tests/support/result.h"

namespace prov::router {
namespace {

using testing::HasSubstr;
using testing::Not;

RouterPolicy SourcedPolicy(RouterKind kind, std::string_view text) {
  RouterPolicy out = ListedPolicy(kind, text);
  EXPECT_TRUE(ReadSource("10.42.253.45/24", "here", out));
  return out;
}

RouterDecision Ask(const RouterPolicy& policy, std::string_view destination,
                   const std::vector<std::string>& answers = {}) {
  KnownAnswers known;
  for (const std::string& answer : answers) EXPECT_TRUE(known.Add(answer)) << answer;
  const auto parsed = ParseRouterDestination(policy.kind, destination);
  EXPECT_TRUE(parsed) << destination;
  return parsed ? Evaluation(policy).Explain(*parsed, known) : RouterDecision();
}

// "allow 3": the verdict and the line.
std::string Http(std::string_view list, std::string_view destination, const std::vector<std::string>& answers = {}) {
  const RouterDecision decision = Ask(SourcedPolicy(RouterKind::kHttpProxy, list), destination, answers);
  return fmt::format("{} {}", NameOf(decision.verdict), decision.line);
}

TEST(HttpEvaluation, TheFirstLineThatHasItDecides) {
  constexpr std::string_view kList = "!*.bad.example\n*.example\nexact.test\n";
  EXPECT_EQ(Http(kList, "https://www.example/"), "allow 2");
  EXPECT_EQ(Http(kList, "http://example/x?y"), "allow 2");  // *.DOMAIN has DOMAIN itself
  EXPECT_EQ(Http(kList, "x.bad.example:8443"), "deny 1");
  EXPECT_EQ(Http(kList, "bad.example"), "deny 1");
  EXPECT_EQ(Http(kList, "notbad.example"), "allow 2");
  EXPECT_EQ(Http(kList, "EXACT.test."), "allow 3");
  EXPECT_EQ(Http(kList, "www.exact.test"), "deny 0");
  EXPECT_EQ(Http("*.example\n!bad.example\n", "bad.example"), "allow 1");
  EXPECT_EQ(Http("!a.test\n*\n", "b.test"), "allow 2");
  EXPECT_EQ(Http("# nothing\n", "b.test"), "deny 0");
}

TEST(HttpEvaluation, ANameInANetworkDependsOnDns) {
  constexpr std::string_view kAllow = "203.0.113.0/24\n";
  EXPECT_EQ(Http(kAllow, "a.test"), "depends 1");
  EXPECT_EQ(Http(kAllow, "a.test", {"a.test=203.0.113.9"}), "allow 1");
  EXPECT_EQ(Http(kAllow, "a.test", {"a.test=198.51.100.1,203.0.113.9"}), "allow 1");
  EXPECT_EQ(Http(kAllow, "A.test.", {"a.TEST.=198.51.100.1"}), "deny 0");
  EXPECT_EQ(Http(kAllow, "a.test", {"a.test="}), "deny 0");
  // What does not resolve is in no network, so it falls through to *.
  constexpr std::string_view kDeny = "!203.0.113.0/24\n*\n";
  EXPECT_EQ(Http(kDeny, "a.test"), "depends 1");
  EXPECT_EQ(Http(kDeny, "a.test", {"a.test="}), "allow 2");
  EXPECT_THAT(Ask(SourcedPolicy(RouterKind::kHttpProxy, kDeny), "a.test", {"a.test="}).note,
              HasSubstr("does not resolve"));
  EXPECT_EQ(Http(kDeny, "a.test", {"a.test=203.0.113.9"}), "deny 1");
  // Where all that DNS could change is the same answer, nothing depends on it.
  EXPECT_EQ(Http("203.0.113.0/24\n*\n", "a.test"), "allow 2");
  EXPECT_EQ(Http("!203.0.113.0/24\n", "a.test"), "deny 0");
  EXPECT_EQ(Http("a.test\n!203.0.113.0/24\n", "a.test"), "allow 1");
}

TEST(HttpEvaluation, AnAddressIsLookedUpInReverse) {
  constexpr std::string_view kList = "!*.perdu.test\n203.0.113.0/24\n";
  EXPECT_EQ(Http(kList, "http://203.0.113.5/"), "depends 1");
  EXPECT_EQ(Http(kList, "http://203.0.113.5/", {"203.0.113.5=www.perdu.test"}), "deny 1");
  EXPECT_EQ(Http(kList, "http://203.0.113.5/", {"203.0.113.5=other.test"}), "allow 2");
  EXPECT_EQ(Http(kList, "http://203.0.113.5/", {"203.0.113.5="}), "allow 2");
  EXPECT_EQ(Http(kList, "http://198.51.100.5/"), "deny 0");
  EXPECT_EQ(Http("203.0.113.0/24\n!perdu.test\n", "203.0.113.5"), "allow 1");
}

TEST(HttpEvaluation, AddressesInEachForm) {
  constexpr std::string_view kList = "203.0.113.0/24\nfd00::/8\n";
  EXPECT_EQ(Http(kList, "https://[fd00::7]:8443/"), "allow 2");
  EXPECT_EQ(Http(kList, "fd00::7"), "allow 2");
  EXPECT_EQ(Http(kList, "http://[fe80::7]/"), "deny 0");
  EXPECT_EQ(Http(kList, "http://203.0.28983/"), "allow 1");
  EXPECT_EQ(Http(kList, "http://[::ffff:203.0.113.9]/"), "allow 1");
  EXPECT_EQ(Http("0.0.0.0/0\n", "http://[fd00::7]/"), "allow 1");
}

TEST(HttpEvaluation, WhereItGoes) {
  const RouterPolicy policy = SourcedPolicy(RouterKind::kHttpProxy, "*.example\n");
  const RouterDecision allowed = Ask(policy, "https://user:sesame@www.example/");
  EXPECT_EQ(allowed.to, "www.example:443");
  EXPECT_EQ(allowed.source, "10.42.253.45");
  EXPECT_EQ(allowed.note, "line 1 (*.example) allows it");
  const RouterDecision denied = Ask(policy, "https://other.test/");
  EXPECT_EQ(denied.to, "");
  EXPECT_EQ(denied.source, "");
  const RouterDecision depends = Ask(SourcedPolicy(RouterKind::kHttpProxy, "10.0.0.0/8"), "a.test");
  EXPECT_THAT(depends.note, HasSubstr("--resolve a.test=IP"));
  EXPECT_EQ(depends.to, "");
}

TEST(RedirectEvaluation, APortLeadsToItsAddress) {
  const RouterPolicy policy =
      SourcedPolicy(RouterKind::kRedirect, "80 tcp 203.0.113.25\n8080 tcp 203.0.113.26 80\n53 udp 203.0.113.27\n");
  const RouterDecision same = Ask(policy, "80");
  EXPECT_EQ(same.verdict, Verdict::kForward);
  EXPECT_EQ(same.to, "203.0.113.25:80");
  EXPECT_EQ(same.source, "10.42.253.45");
  const RouterDecision other = Ask(policy, "http://router:8080/");
  EXPECT_EQ(other.to, "203.0.113.26:80");
  EXPECT_EQ(other.line, 2U);
  EXPECT_EQ(Ask(policy, "53").verdict, Verdict::kNone);
  for (const char* text : {"53/udp", "udp/53", "53 udp", "udp:53", "router:53/udp"})
    EXPECT_EQ(Ask(policy, text).to, "203.0.113.27:53") << text;
  const RouterDecision none = Ask(policy, "443");
  EXPECT_EQ(none.verdict, Verdict::kNone);
  EXPECT_EQ(none.line, 0U);
  EXPECT_THAT(none.note, HasSubstr("no line has port 443"));
}

TEST(RedirectEvaluation, TheFallbackTakesTheRest) {
  const RouterPolicy policy = SourcedPolicy(RouterKind::kRedirect, "80 tcp 203.0.113.25\n203.0.113.27\n");
  EXPECT_EQ(Ask(policy, "80").line, 1U);
  EXPECT_EQ(Ask(policy, "80/udp").to, "203.0.113.27:80");
  EXPECT_EQ(Ask(policy, "9999/sctp").line, 2U);
}

TEST(DnsEvaluation, NamesAndAddresses) {
  const RouterPolicy policy = SourcedPolicy(RouterKind::kDnsProxy, "80 203.0.113.25\n443 db.example 8443\n");
  EXPECT_EQ(Ask(policy, "80").to, "203.0.113.25:80");
  const RouterDecision name = Ask(policy, "router:443");
  EXPECT_EQ(name.verdict, Verdict::kForward);
  EXPECT_EQ(name.to, "db.example:8443");
  EXPECT_THAT(name.note, HasSubstr("depends on DNS"));
  EXPECT_THAT(Ask(policy, "443", {"db.example=192.0.2.1,192.0.2.2"}).note, HasSubstr("192.0.2.1 or 192.0.2.2"));
  EXPECT_EQ(Ask(policy, "443", {"db.example="}).verdict, Verdict::kNone);
  EXPECT_EQ(Ask(policy, "443/udp").verdict, Verdict::kNone);
  EXPECT_EQ(Ask(policy, "81").verdict, Verdict::kNone);
}

TEST(RouterDestination, WhatNamesNone) {
  for (const char* text : {"", "http://", "http:///x", "a..b", ".a", "a:0", "a:65536", "a:x", "http://[::1/", "a b"})
    EXPECT_FALSE(ParseRouterDestination(RouterKind::kHttpProxy, text)) << text;
  for (const char* text : {"", "0", "65536", "80/icmp", "host", "router:", "80/udp/tcp"})
    EXPECT_FALSE(ParseRouterDestination(RouterKind::kRedirect, text)) << text;
  const auto secret = Must(ParseRouterDestination(RouterKind::kHttpProxy, "https://user:sesame@a.example/"));
  EXPECT_THAT(secret.text, Not(HasSubstr("sesame")));
  EXPECT_EQ(secret.host, "a.example");
}

TEST(KnownAnswers, WhatIsNoAnswer) {
  KnownAnswers answers;
  for (const char* text : {"", "a", "=1.2.3.4", "a=b", "a=1.2.3.4,", "1.2.3.4=5.6.7.8", "1.2.3.4=a,b"})
    EXPECT_FALSE(answers.Add(text)) << text;
  EXPECT_TRUE(answers.addresses.empty());
  EXPECT_TRUE(answers.Add("a=1.2.3.4, 2001:db8::1"));
  EXPECT_EQ(answers.addresses["a"].size(), 2U);
}

// The whole of 10,000 lines is looked up 10,000 times; going through the lines would take minutes.
TEST(Evaluation, ManyLinesAndManyDestinations) {
  std::string list;
  for (int i = 0; i < 10'000; ++i)
    list += i % 2 == 0 ? fmt::format("h{}.example\n", i) : fmt::format("10.{}.{}.0/24\n", i / 256, i % 256);
  const RouterPolicy policy = SourcedPolicy(RouterKind::kHttpProxy, list);
  const Evaluation evaluation(policy);
  const auto start = std::chrono::steady_clock::now();
  KnownAnswers answers;
  for (int i = 0; i < 10'000; ++i) {
    const bool name = i % 2 == 0;
    const std::string host = name ? fmt::format("h{}.example", i) : fmt::format("10.{}.{}.7", i / 256, i % 256);
    if (!name) {
      ASSERT_TRUE(answers.Add(host + "="));
    }
    const auto destination = Must(ParseRouterDestination(RouterKind::kHttpProxy, host));
    const RouterDecision decision = evaluation.Explain(destination, answers);
    ASSERT_EQ(decision.verdict, Verdict::kAllow) << host;
    ASSERT_EQ(decision.line, static_cast<std::size_t>(i) + 1);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));  // far less without sanitizers
}

}  // namespace
}  // namespace prov::router
