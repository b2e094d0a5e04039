#include "provisioner/net/http_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::net {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

HttpFailure Failure(HttpTrouble trouble, const std::string& proxy = "proxy:3128") {
  HttpFailure out;
  out.trouble = trouble;
  out.where = "https://origin.example.com/";
  out.certificate.host = "origin.example.com";
  out.proxy = proxy;
  out.timeout_seconds = 10;
  out.detail = "words";
  return out;
}

std::string Text(const HttpFailure& failure) { return Explain(failure).message; }

std::string Refusal(int status, const std::string& reason = "") {
  HttpFailure failure = Failure(HttpTrouble::kCut);
  failure.connect_status = status;
  failure.proxy_reason = reason;
  EXPECT_EQ(Explain(failure).code, Code::kNetwork);
  return Text(failure);
}

TEST(HttpFailure, Names) {
  EXPECT_EQ(Text(Failure(HttpTrouble::kProxyName)),
            "the address of the proxy proxy:3128 is not found: check its name and this machine's DNS");
  EXPECT_THAT(Text(Failure(HttpTrouble::kServerName, "")), HasSubstr("whether this destination needs the proxy"));
}

TEST(HttpFailure, Connections) {
  HttpFailure failure = Failure(HttpTrouble::kConnect);
  EXPECT_THAT(Text(failure), HasSubstr("cannot connect to the proxy proxy:3128: a firewall"));
  failure.refused = true;
  EXPECT_EQ(Text(failure),
            "the proxy proxy:3128 refused the connection: nothing listens at this address and port; check both");
  failure.proxy.clear();
  EXPECT_THAT(Text(failure), HasSubstr("the server refused the connection"));
}

TEST(HttpFailure, TimeOuts) {
  HttpFailure failure = Failure(HttpTrouble::kTimeout);
  EXPECT_EQ(Text(failure),
            "the proxy proxy:3128 did not answer within 10 seconds: it hangs, or can't reach the destination; "
            "see its "
            "log");
  failure.connected = false;
  EXPECT_THAT(Text(failure),
              HasSubstr("accepted no connection within 10 seconds: its address is wrong, or a firewall"));
}

TEST(HttpFailure, HeadersWithoutEnd) {
  HttpFailure failure = Failure(HttpTrouble::kHeaders);
  EXPECT_THAT(Text(failure), StartsWith("the answer has larger headers"));
  failure.detail = "CONNECT response too large!";
  EXPECT_THAT(Text(failure), StartsWith("the answer of the proxy proxy:3128 to CONNECT has larger headers"));
  EXPECT_FALSE(IsTemporary(failure));
}

TEST(HttpFailure, RefusalsOfAProxy) {
  EXPECT_EQ(Refusal(403),
            "the proxy proxy:3128 refused to connect, with status 403: its rules forbid this destination: have it "
            "allowed there, or add it to NO_PROXY if nodes reach it directly");
  EXPECT_THAT(Refusal(400), HasSubstr("status 400: it seems to be a web server"));
  EXPECT_THAT(Refusal(404), HasSubstr("web server, which does not support CONNECT"));
  EXPECT_THAT(Refusal(405), HasSubstr("status 405: it does not allow CONNECT, which https needs"));
  EXPECT_THAT(Refusal(502), HasSubstr("status 502: it can't reach the destination itself: the destination refused"));
  EXPECT_THAT(Refusal(503), HasSubstr("status 503: it can't reach the destination itself, or is overloaded"));
  EXPECT_THAT(Refusal(504), HasSubstr("status 504: it can't reach the destination itself in time"));
  EXPECT_THAT(Refusal(599), HasSubstr("status 599: see its log"));
  EXPECT_THAT(Refusal(503, "ERR_DNS_FAIL"),
              HasSubstr("status 503 (ERR_DNS_FAIL): it does not find the destination's address"));
  EXPECT_THAT(Refusal(503, "ERR_NEW"), HasSubstr("status 503 (ERR_NEW): it can't reach"));
}

TEST(HttpFailure, Credentials) {
  HttpFailure failure = Failure(HttpTrouble::kCut);
  failure.connect_status = 407;
  failure.challenges = {"Basic realm=\"x\""};
  EXPECT_THAT(Text(failure), HasSubstr("the proxy proxy:3128 answers with status 407: it wants credentials (Basic)"));
  failure.credentials = true;
  failure.proxy.clear();
  EXPECT_THAT(Text(failure), HasSubstr("the proxy on the way answers"));
}

TEST(HttpFailure, TlsWhereThereIsNone) {
  HttpFailure failure = Failure(HttpTrouble::kPlain);
  EXPECT_THAT(Text(failure), HasSubstr("the server does not speak TLS on this port"));
  failure.with_proxy = true;
  EXPECT_EQ(Text(failure),
            "the proxy proxy:3128 does not speak TLS on this port and its URL starts with https://: let it start with "
            "http://, or name its TLS port");
  EXPECT_EQ(Explain(failure).code, Code::kTls);
}

TEST(HttpFailure, NoTlsWhereItIsSpoken) {
  HttpFailure failure = Failure(HttpTrouble::kCut);
  failure.speaks_tls = true;
  EXPECT_EQ(Text(failure),
            "the proxy proxy:3128 speaks TLS on this port and its URL starts with http://: let it start with https://, "
            "or name the port without TLS");
  EXPECT_EQ(Explain(failure).code, Code::kTls);
  failure.connect_status = 400;
  EXPECT_THAT(Text(failure), HasSubstr("speaks TLS")) << "nginx answers so";
}

TEST(HttpFailure, CutConnections) {
  EXPECT_THAT(Text(Failure(HttpTrouble::kCut)), HasSubstr("ended the connection before it answered (words)"));
  EXPECT_THAT(
      Text(Failure(HttpTrouble::kCutBody)),
      HasSubstr("the connection ended before the answer was complete (words): the server, the proxy proxy:3128 or "
                "a firewall"));
  EXPECT_THAT(Text(Failure(HttpTrouble::kTlsCut)), HasSubstr("the proxy proxy:3128 accepted CONNECT, but"));
  HttpFailure failure = Failure(HttpTrouble::kTlsCut);
  failure.with_proxy = true;
  EXPECT_THAT(Text(failure), HasSubstr("the proxy proxy:3128 ended the connection while TLS was being set up"));
  EXPECT_THAT(Text(Failure(HttpTrouble::kNotHttp)), HasSubstr("something that is not HTTP"));
  EXPECT_EQ(Text(Failure(HttpTrouble::kOther)), "the request failed (words)");
}

TEST(HttpFailure, WhatMayPassByItself) {
  for (const HttpTrouble trouble : {HttpTrouble::kProxyName, HttpTrouble::kServerName, HttpTrouble::kConnect,
                                    HttpTrouble::kTimeout, HttpTrouble::kTlsCut, HttpTrouble::kCut}) {
    EXPECT_TRUE(IsTemporary(Failure(trouble)));
  }
  for (const HttpTrouble trouble :
       {HttpTrouble::kCertificate, HttpTrouble::kProxyCertificate, HttpTrouble::kPlain, HttpTrouble::kTls}) {
    EXPECT_FALSE(IsTemporary(Failure(trouble)));
  }
  HttpFailure failure = Failure(HttpTrouble::kCut);
  failure.connect_status = 407;
  EXPECT_FALSE(IsTemporary(failure));
  failure.connect_status = 503;
  EXPECT_TRUE(IsTemporary(failure));
  failure.speaks_tls = true;
  EXPECT_FALSE(IsTemporary(failure));
  EXPECT_TRUE(IsTemporary(429) && IsTemporary(500));
  EXPECT_FALSE(IsTemporary(404) || IsTemporary(401));
}

TEST(HttpFailure, AnswersOfTheServer) {
  EXPECT_EQ(ExplainStatus(401),
            "the connection works, but the answer has status 401: the server (or a proxy on the way) does not let this "
            "request in; probe a URL that needs no login");
  EXPECT_THAT(ExplainStatus(404), HasSubstr("the path does not exist"));
  EXPECT_THAT(ExplainStatus(503), HasSubstr("no working server behind it"));
  EXPECT_THAT(ExplainStatus(418), HasSubstr("answers with 2xx or 3xx"));
}

TEST(HttpFailure, IsUnreachableOnlyWithoutAProxyAndWithoutAConnection) {
  HttpFailure failure;
  failure.connected = false;
  for (const HttpTrouble trouble : {HttpTrouble::kServerName, HttpTrouble::kConnect, HttpTrouble::kTimeout}) {
    failure.trouble = trouble;
    failure.proxy.clear();
    EXPECT_TRUE(IsUnreachable(failure));
    failure.proxy = "proxy.example.com:3128";
    EXPECT_FALSE(IsUnreachable(failure));
  }
  failure.proxy.clear();
  failure.connected = true;
  EXPECT_FALSE(IsUnreachable(failure)) << "the server was reached, and does not answer";
  failure.trouble = HttpTrouble::kCertificate;
  EXPECT_FALSE(IsUnreachable(failure));
}

}  // namespace
}  // namespace prov::net
