// Documents fetched from servers of this test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "tests/net/fetching.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov::net {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::string Answer(int status, const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

TEST(HttpFetch, GivesTheAnswer) {
  test::HttpServer server(kGoodDocument);
  const auto answer = Must(Fetch(Request(Url(server, "/a?b=c"))));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
  EXPECT_GE(answer.body.capacity(), answer.body.size() + 64);
  EXPECT_EQ(answer.Header("etag"), "\"1\"");
  EXPECT_EQ(answer.Header("x-two"), "a b");
  EXPECT_EQ(answer.Header("none"), "");
  EXPECT_EQ(answer.redirect_url, "");
  ASSERT_THAT(server.Requests(), SizeIs(1));
  EXPECT_THAT(server.Requests()[0], StartsWith("GET /a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(server.Requests()[0], HasSubstr("User-Agent: provisioner\r\n"));
  EXPECT_THAT(server.Requests()[0], Not(HasSubstr("Encoding")));
  Fetch(Request(Url(server)));
  EXPECT_THAT(server.Requests()[1], Not(HasSubstr("Cookie")));
}

TEST(HttpFetch, SendsWhatItIsGiven) {
  test::HttpServer server(kGoodDocument);
  FetchRequest request = Request(Url(server));
  request.headers = {{"Accept", "x/y"}, {"X-Empty", ""}};
  request.bearer_token = Secret("hunter2");
  ASSERT_TRUE(Fetch(request));
  const std::string head = server.Requests().at(0);
  EXPECT_THAT(head, HasSubstr("\r\nAccept: x/y\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nX-Empty:\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nAuthorization: Bearer hunter2\r\n"));
  for (const auto& header :
       {std::pair("A\r\nB", "x"), std::pair("A", "x\r\nB: y"), std::pair("", "x"), std::pair("A:", "x")}) {
    FetchRequest bad = Request(Url(server));
    bad.headers = {header};
    EXPECT_EQ(FailureOf(bad).code, Code::kInternal);
  }
  request.bearer_token = Secret("hunter2\r\nX: y");
  EXPECT_THAT(FailureOf(request).message, Not(HasSubstr("hunter2")));
  EXPECT_THAT(server.Requests(), SizeIs(1));
}

TEST(HttpSend, SendsTheBodyWithItsMethodAndType) {
  test::HttpServer server(kGoodDocument);
  SendRequest request{.to = Request(Url(server, "/a")),
                      .method = "PATCH",
                      .content_type = "application/merge-patch+json",
                      .body = R"({"a":"\u0000"})"};
  const auto answer = Must(LiveHttp().Send(request));
  EXPECT_EQ(answer.body, "ok");
  const std::string head = server.Requests().at(0);
  EXPECT_THAT(head, StartsWith("PATCH /a HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: application/merge-patch+json\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 14\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Expect")));
  request.content_type = "a\r\nX: y";
  EXPECT_EQ(LiveHttp().Send(request).error().code, Code::kInternal);
}

// Proxies, credentials and places of certificates of whoever started this program.
TEST(HttpFetch, TheSurroundingsHaveNoSay) {
  const testing_support::ScratchFolder home;
  std::ofstream(home.path() / ".netrc") << "default login user password hunter2\n";
  const std::string nobody = "http://127.0.0.1:" + std::to_string(test::HttpServer("").port());
  setenv("http_proxy", nobody.c_str(), 1);
  setenv("ALL_PROXY", nobody.c_str(), 1);
  setenv("NO_PROXY", "*", 1);
  setenv("HOME", home.path().c_str(), 1);
  test::HttpServer server(kGoodDocument);
  EXPECT_TRUE(Fetch(Request(Url(server))));
  EXPECT_THAT(server.Requests().at(0), Not(HasSubstr("Authorization")));
  FetchRequest through = Request("http://no-such-host.invalid/");
  through.proxy_url = Secret("http://" + server.HostPort());
  EXPECT_TRUE(Fetch(through));
  for (const char* name : {"http_proxy", "ALL_PROXY", "NO_PROXY"}) unsetenv(name);
}

TEST(HttpFetch, ARedirectIsAnAnswer) {
  test::HttpServer server(Answer(302, "", "Location: /elsewhere?x=1\r\n"));
  const auto answer = Must(Fetch(Request(Url(server))));
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.redirect_url, Url(server, "/elsewhere?x=1"));
  EXPECT_THAT(server.Requests(), SizeIs(1));
}

TEST(HttpFetch, ABodyIsRefusedWhileItArrives) {
  const std::string body(200'000, 'x');
  FetchRequest request;
  for (const std::string& head :
       {std::string("Content-Length: 100000000\r\n"), std::string("Content-Length: 200000\r\n"), std::string()}) {
    test::HttpServer server("HTTP/1.1 200 OK\r\n" + head + "Connection: close\r\n\r\n" + body);
    request.url = Url(server);
    request.most_bytes = 199'999;
    EXPECT_EQ(FailureOf(request).code, Code::kTooLarge) << head;
  }
  test::HttpServer server(Answer(200, body));
  request.url = Url(server);
  request.most_bytes = 200'000;
  const auto answer = Must(Fetch(request));
  EXPECT_EQ(answer.body, body);
  EXPECT_GE(answer.body.capacity(), body.size() + 64);
}

TEST(HttpFetch, HeadersAreBounded) {
  std::string headers;
  for (int i = 0; i < 70; ++i) headers += "X: " + std::string(1000, 'x') + "\r\n";
  test::HttpServer server(Answer(200, "ok", headers));
  const Error error = FailureOf(Request(Url(server)));
  EXPECT_EQ(error.code, Code::kTooLarge);
  EXPECT_THAT(error.message, HasSubstr("headers"));
}

// libcurl has limits of its own.
TEST(HttpFetch, HeadersThatLibcurlDoesNotTakeSaySo) {
  const std::string line = "X: " + std::string(400'000, 'x') + "\r\n";
  HttpNotes notes;
  notes.is_temporary = true;
  test::HttpServer server(Answer(200, "ok", line));
  FetchRequest request = Request(Url(server));
  request.notes = &notes;
  const Error error = FailureOf(request);
  EXPECT_EQ(error.code, Code::kTooLarge) << error.message;
  EXPECT_THAT(error.message, HasSubstr("larger headers"));
  EXPECT_FALSE(notes.is_temporary);
  test::HttpServer proxy("", "HTTP/1.1 200 OK\r\n" + line + "\r\n");
  request.url = "https://no-such-host.invalid/";
  request.proxy_url = Secret("http://" + proxy.HostPort());
  const Error behind = FailureOf(request);
  EXPECT_EQ(behind.code, Code::kTooLarge) << behind.message;
  EXPECT_THAT(behind.message,
              HasSubstr("the answer of the proxy " + proxy.HostPort() + " to CONNECT has larger headers"));
}

TEST(HttpFetch, TwoLengthsAreNone) {
  for (const char* headers : {"Content-Length: 1\r\n", "Content-Length: 2, 1\r\n", "content-length: 02\r\n"}) {
    test::HttpServer server(Answer(200, "ok", headers));
    HttpNotes notes;
    notes.is_temporary = true;
    FetchRequest request = Request(Url(server));
    request.notes = &notes;
    request.has_digest = true;
    const Error error = FailureOf(request);
    EXPECT_EQ(error.code, Code::kNetwork) << headers;
    EXPECT_THAT(error.message, HasSubstr("two different values of Content-Length")) << headers;
    EXPECT_FALSE(notes.is_temporary);
  }
  test::HttpServer server(Answer(200, "ok", "Content-Length: 2\r\n"));
  EXPECT_EQ(Fetch(Request(Url(server)))->body, "ok") << "the same one twice";
}

TEST(HttpFetch, WhatAProxyRefusesDoesNotPass) {
  for (const auto& [status, passes] : {std::pair("302 Found", false), {"403 Forbidden", false}, {"503 x", true}}) {
    test::HttpServer proxy(
        "", std::string("HTTP/1.1 ") + status +
                "\r\nLocation: https://login.invalid/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    HttpNotes notes;
    FetchRequest request = Request("https://no-such-host.invalid/");
    request.notes = &notes;
    request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
    EXPECT_EQ(FailureOf(request).code, Code::kNetwork) << status;
    EXPECT_EQ(notes.is_temporary, passes) << status;
    EXPECT_LE(proxy.Requests().size(), 2U) << status;
  }
}

TEST(HttpFetch, OfARefusalTheBeginningIsEnough) {
  test::HttpServer server(Answer(403, std::string(100'000, 'x')));
  const auto answer = Must(Fetch(Request(Url(server))));
  EXPECT_EQ(answer.status, 403);
  EXPECT_EQ(answer.body.size(), 65536U);
}

TEST(HttpFetch, ASinkGetsTheBody) {
  const std::string body(300'000, 'x');
  test::HttpServer server(Answer(200, body));
  FetchRequest request = Request(Url(server));
  std::string got;
  request.sink = [&](std::string_view piece) {
    got += piece;
    return got.size() < 100'000;
  };
  const auto answer = Must(Fetch(request));
  EXPECT_EQ(answer.body, "");
  EXPECT_GE(got.size(), 100'000U);
  EXPECT_LT(got.size(), 300'000U);
  test::HttpServer refusing(Answer(403, "why"));
  request.url = Url(refusing);
  got.clear();
  EXPECT_EQ(Fetch(request)->body, "why");
  EXPECT_EQ(got, "");
}

TEST(HttpFetch, CompressedBodiesStayAsTheyAre) {
  test::HttpServer server(Answer(200, "\x1f\x8b not gzip", "Content-Encoding: gzip\r\n"));
  const auto answer = Must(Fetch(Request(Url(server))));
  EXPECT_EQ(answer.body, "\x1f\x8b not gzip");
}

TEST(HttpFetch, ACutAnswerIsNone) {
  test::HttpServer server(
      "HTTP/1.1 200 OK\r\nContent-Length: "
      "100\r\nConnection: close\r\n\r\nhalf");
  const Error error = FailureOf(Request(Url(server)));
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, HasSubstr("the connection ended before the answer was complete"));
}

TEST(HttpFetch, AnAnswerWithoutALengthIsNone) {
  test::HttpServer server(kEndless);
  FetchRequest request = Request(Url(server));
  const Error error = FailureOf(request);
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, HasSubstr("does not send the length of its answer"));
  // A digest tells it, and a watch is a stream of lines.
  request.has_digest = true;
  EXPECT_EQ(Fetch(request)->body, "HTTP_PROXY=http://p:1\n");
  request.has_digest = false;
  request.sink = [](std::string_view) { return true; };
  EXPECT_EQ(Fetch(request)->status, 200);
  // Of a refusal nothing depends on the end.
  test::HttpServer refusing("HTTP/1.0 403 Forbidden\r\n\r\nwhy");
  EXPECT_EQ(Fetch(Request(Url(refusing)))->body, "why");
}

TEST(HttpFetch, ChunksSayWhereTheEndIs) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n";
  test::HttpServer whole(head + "2\r\nok\r\n0\r\n\r\n");
  EXPECT_EQ(Fetch(Request(Url(whole)))->body, "ok");
  for (const char* part : {"2\r\nok\r\n", "2\r\nok\r\n0\r\n", "9\r\nok"}) {
    test::HttpServer cut(head + part);
    EXPECT_EQ(FailureOf(Request(Url(cut))).code, Code::kNetwork) << part;
  }
  test::HttpServer empty("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(Fetch(Request(Url(empty)))->body, "");
}

TEST(HttpFetch, WhatIsNotHttp) {
  test::HttpServer ssh("SSH-2.0-OpenSSH_9.2\r\n");
  EXPECT_THAT(FailureOf(Request(Url(ssh))).message, HasSubstr("answers with something that is not HTTP"));
}

TEST(HttpFetch, Addresses) {
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1", "", "httpx://a", "http://h/a b",
                          "http://h/\r\nX: y", "https://user:hunter2@h/"}) {
    const Error error = FailureOf(Request(url));
    EXPECT_EQ(error.code, Code::kScheme) << url;
    EXPECT_THAT(error.message + error.where, Not(HasSubstr("hunter2")));
  }
}

TEST(HttpFetch, AProxyThatWantsCredentials) {
  for (const char* url : {"http://no-such-host.invalid/", "https://no-such-host.invalid/"}) {
    test::HttpServer proxy(kWantsCredentials, kWantsCredentials);
    FetchRequest request = Request(url);
    request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
    const auto answer = Must(Fetch(request));
    EXPECT_EQ(answer.status, 407) << url;
    EXPECT_THAT(answer.proxy_refusal, HasSubstr(proxy.HostPort() + " answers with status 407: it does not take the"));
    EXPECT_THAT(answer.proxy_refusal, Not(HasSubstr("hunter2")));
    EXPECT_THAT(proxy.Requests(), SizeIs(2)) << "asked first, then given";
    request.proxy_url = Secret("http://" + proxy.HostPort());
    EXPECT_THAT(Fetch(request)->proxy_refusal, HasSubstr("its URL has none"));
  }
  test::HttpServer proxy("",
                         "HTTP/1.1 403 Forbidden\r\nContent-Length: "
                         "0\r\nConnection: close\r\n\r\n");
  FetchRequest request = Request("https://no-such-host.invalid/");
  request.proxy_url = Secret("http://" + proxy.HostPort());
  EXPECT_THAT(FailureOf(request).message, HasSubstr("403"));
  request.proxy_url = Secret("http://user:hunter2@pro xy:3128");
  EXPECT_EQ(FailureOf(request).code, Code::kProxyUrl);
}

TEST(HttpFetch, AProxyThatAsksForCredentialsAndDoesNotAnswerThen) {
  for (const bool hangs : {false, true}) {
    test::HttpServer proxy("");
    proxy.RefuseWithoutCredentials(kWantsCredentials);
    if (hangs) proxy.Hang();
    FetchRequest request = Request("https://no-such-host.invalid/");
    request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
    request.total_seconds = 2;
    EXPECT_THAT(FailureOf(request).message, HasSubstr(hangs ? "did not answer the request with them within 2 seconds"
                                                            : "ended the connection when it got them"));
    EXPECT_THAT(proxy.Requests(), SizeIs(2));
  }
}

// Of a plain request, libcurl keeps the status of the first answer.
TEST(HttpFetch, AConnectionThatEndsAfterTheLoginEndsBeforeAnAnswer) {
  test::HttpServer proxy("");
  proxy.RefuseWithoutCredentials(kWantsCredentials);
  FetchRequest request = Request("http://no-such-host.invalid/");
  request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
  EXPECT_THAT(FailureOf(request).message,
              HasSubstr("asked for credentials, and ended the connection when it got them"));
}

TEST(HttpFetch, AProxyThatTakesWhatNobodyHere) {
  constexpr char kNegotiate[] =
      "HTTP/1.1 407 x\r\nProxy-Authenticate: Negotiate\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  for (const char* url : {"http://no-such-host.invalid/", "https://no-such-host.invalid/"}) {
    for (const char* user : {"", "user:hunter2@"}) {
      test::HttpServer proxy(kNegotiate, kNegotiate);
      FetchRequest request = Request(url);
      request.proxy_url = Secret("http://" + (user + proxy.HostPort()));
      EXPECT_THAT(Fetch(request)->proxy_refusal, HasSubstr("takes Negotiate (Kerberos) credentials only"));
      EXPECT_THAT(proxy.Requests(), SizeIs(1)) << "no credentials went there";
    }
  }
}

TEST(HttpFetch, AProxyThatTakesDigestNeverSeesThePassword) {
  test::HttpServer proxy(kGoodDocument);
  proxy.RefuseWithoutCredentials(
      "HTTP/1.1 407 x\r\nProxy-Authenticate: Digest realm=\"p\", nonce=\"n\", qop=\"auth\"\r\nContent-Length: 0\r\n"
      "Connection: close\r\n\r\n");
  FetchRequest request = Request("http://no-such-host.invalid/");
  request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
  const auto answer = Must(Fetch(request));
  EXPECT_EQ(answer.body, "ok");
  ASSERT_THAT(proxy.Requests(), SizeIs(2));
  EXPECT_THAT(proxy.Requests()[1], HasSubstr("Proxy-Authorization: Digest username=\"user\""));
}

// Such a one was given the credentials unasked before, and still is.
TEST(HttpFetch, AProxyThatNeverAsksGetsBasic) {
  for (const char* refusal : {"HTTP/1.1 403 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "x"}) {
    test::HttpServer proxy(kGoodDocument);
    proxy.RefuseWithoutCredentials(refusal);
    FetchRequest request = Request("http://no-such-host.invalid/");
    request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
    const auto answer = Must(Fetch(request));
    EXPECT_EQ(answer.body, "ok");
    ASSERT_THAT(proxy.Requests(), SizeIs(2));
    EXPECT_THAT(proxy.Requests()[0], Not(HasSubstr("Proxy-Authorization")));
    EXPECT_THAT(proxy.Requests()[1], HasSubstr("Proxy-Authorization: Basic "));
  }
}

double Seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(HttpFetch, Patience) {
  const LocalPort silent;
  FetchRequest request = Request(silent.Url());
  request.answer_seconds = 1;
  EXPECT_LT(Seconds([&] { EXPECT_THAT(FailureOf(request).message, HasSubstr("within 1 second:")); }), 5);
  request.answer_seconds = 60;
  request.total_seconds = 2;
  EXPECT_LT(Seconds([&] { EXPECT_THAT(FailureOf(request).message, HasSubstr("within 2 seconds")); }), 6);
}

// A host that drops what is sent to it, as firewalls do: so does a listener whose queue is full.
TEST(HttpFetch, AConnectionThatNobodyTakes) {
  const LocalPort full(0);
  sockaddr_in address = LocalAddress(full.port());
  std::vector<int> waiting;
  for (int i = 0; i < 3; ++i) {
    waiting.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    connect(waiting.back(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
  }
  FetchRequest request = Request(full.Url());
  request.connect_seconds = 1;
  EXPECT_THAT(FailureOf(request).message, StartsWith("the server accepted no connection within 1 second: "));
  request.given_seconds = 30;
  EXPECT_THAT(FailureOf(request).message, StartsWith("the server accepted no connection within 30 seconds: "));
  for (const int descriptor : waiting) close(descriptor);
}

TEST(HttpFetch, AProxyThatTalksOnHasNoMoreTimeThanOthers) {
  test::HttpServer proxy("",
                         "HTTP/1.1 407 x\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 50000000\r\n\r\n" +
                             std::string(50'000'000, 'x'));
  FetchRequest request = Request("https://no-such-host.invalid/");
  request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
  request.total_seconds = 1;
  EXPECT_LT(Seconds([&] { EXPECT_EQ(Fetch(request)->status, 407); }), 3);
  request.total_seconds = 0;  // as for what may last for hours
  request.connect_seconds = 1;
  EXPECT_LT(Seconds([&] { EXPECT_EQ(Fetch(request)->status, 407); }), 3);
  int asked = 0;
  request.connect_seconds = 60;
  request.should_stop = [&] { return ++asked == 3; };
  EXPECT_LT(Seconds([&] { EXPECT_EQ(Fetch(request)->status, 407); }), 3);
  EXPECT_EQ(asked, 3);
}

TEST(HttpFetch, CanBeStopped) {
  const LocalPort silent;
  FetchRequest request = Request(silent.Url());
  request.answer_seconds = 60;
  request.should_stop = [] { return true; };
  EXPECT_LT(Seconds([&] {
              const auto answer = Must(Fetch(request));
              EXPECT_EQ(answer.status, 0);
            }),
            5);
}

}  // namespace
}  // namespace prov::net
