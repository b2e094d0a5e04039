#include "provisioner/net/proxy_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::net {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Words = std::vector<std::string>;

TEST(ProxyChallenge, SchemesOfRealHeaders) {
  EXPECT_THAT(AuthenticationSchemes(Words{"Basic realm=\"squid\""}), ElementsAre("basic"));
  EXPECT_THAT(AuthenticationSchemes(Words{"Negotiate", "NTLM", "Basic realm=\"x\""}),
              ElementsAre("negotiate", "ntlm", "basic"));
  EXPECT_THAT(AuthenticationSchemes(Words{"Digest realm=\"a, Basic b\", nonce=\"x\", qop=\"auth\", stale=false"}),
              ElementsAre("digest"));
  EXPECT_THAT(AuthenticationSchemes(Words{"Basic realm=\"a\\\", Fake b\", NTLM, Digest nonce = \"y\""}),
              ElementsAre("basic", "ntlm", "digest"));
  EXPECT_THAT(AuthenticationSchemes(Words{"NTLM TlRMTVNTUAACAAAA="}), ElementsAre("ntlm"));
}

TEST(ProxyChallenge, WhatIsNoSchemeIsLeftOut) {
  EXPECT_THAT(
      AuthenticationSchemes(Words{"", ",,", "=x", "a=b", "\"Basic\"", "\x1b[31m x", "a;b", std::string(99, 'a')}),
      IsEmpty());
  EXPECT_THAT(AuthenticationSchemes(Words{"\"unclosed, Basic"}), IsEmpty());
  Words many;
  for (int i = 0; i < 100; ++i) many.push_back("s" + std::to_string(i));
  EXPECT_THAT(AuthenticationSchemes(many), SizeIs(16));
}

TEST(ProxyChallenge, SaysWhatToDo) {
  const auto explain = [](const Words& schemes, bool credentials) {
    return ExplainChallenge("proxy:3128", schemes, credentials);
  };
  EXPECT_EQ(
      explain({"basic"}, false),
      "the proxy proxy:3128 answers with status 407: it wants credentials (Basic) and its URL has none; write them "
      "into it, percent-encoded, as http://user:password@host:port");
  EXPECT_EQ(
      explain({"basic", "digest"}, true),
      "the proxy proxy:3128 answers with status 407: it does not take the credentials of its URL (Basic or Digest);"
      " correct user name and password there, percent-encoded (%40 for an @)");
  EXPECT_EQ(
      explain({"negotiate", "ntlm"}, true),
      "the proxy proxy:3128 answers with status 407 and takes Negotiate (Kerberos) or NTLM credentials only, which "
      "neither this program nor most node agents (kubelet and containerd among them) can give: let it admit the "
      "nodes by their addresses, or offer Basic on an https:// proxy port");
  EXPECT_EQ(explain({"negotiate", "ntlm"}, false), explain({"negotiate", "ntlm"}, true));
  EXPECT_THAT(explain({"bearer"}, true), HasSubstr("takes Bearer credentials only"));
  EXPECT_THAT(explain({}, true), HasSubstr("does not say which credentials"));
  EXPECT_THAT(explain({"negotiate", "basic"}, true), Not(HasSubstr("only")));
}

TEST(ProxyChallenge, DigestAloneIsNothingForGo) {
  EXPECT_THAT(ReviewSchemesForGo("p:1", Words{"digest"}), AllOf(HasSubstr("Digest"), HasSubstr("kubelet")));
  EXPECT_EQ(ReviewSchemesForGo("p:1", Words{"digest", "basic"}), "");
  EXPECT_EQ(ReviewSchemesForGo("p:1", Words{}), "") << "it never asked";
}

TEST(ProxyAnswer, ChallengesOfTheNewestRefusal) {
  ProxyAnswer answer;
  for (const char* line : {"HTTP/1.1 407 x\r\n", "Proxy-Authenticate: Digest nonce=1\r\n",
                           "proxy-authenticate:Basic\r\n", "HTTP/1.1 407 x\r\n",
                           "Proxy-Authenticate: Digest nonce=2\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "Date: now\r\n"}) {
    answer.AddLine(line);
  }
  EXPECT_THAT(answer.challenges(), ElementsAre("Digest nonce=2"));
}

TEST(ProxyAnswer, ReasonOfTheNewestAnswer) {
  ProxyAnswer answer;
  answer.AddLine("HTTP/1.1 503 Service Unavailable\r\n");
  answer.AddLine("X-Squid-Error: ERR_DNS_FAIL 0\r\n");
  EXPECT_EQ(answer.reason(), "ERR_DNS_FAIL");
  answer.AddLine("HTTP/1.1 200 OK\r\n");
  EXPECT_EQ(answer.reason(), "");
  for (const char* value : {"X-Squid-Error: \x1b[31m", "X-Squid-Error: <b>", "X-Squid-Error:"}) {
    answer.AddLine(value);
    EXPECT_EQ(answer.reason(), "") << value;
  }
}

TEST(ProxyAnswer, KeepsNoMoreThanItNeeds) {
  ProxyAnswer answer;
  for (int i = 0; i < 100; ++i) answer.AddLine("Proxy-Authenticate: " + std::string(100'000, 'x'));
  EXPECT_THAT(answer.challenges(), SizeIs(16));
  EXPECT_THAT(answer.challenges()[0], SizeIs(1024));
}

}  // namespace
}  // namespace prov::net
