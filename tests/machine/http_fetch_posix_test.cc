// Documents fetched from servers of this test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>

#include "provisioner/machine/host.h"
#include "tests/support/http_server.h"
#include "tests/support/make_certificate.h"
#include "tests/support/scratch_folder.h"

namespace prov::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kGood[] =
    "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nX-Two:  a b \r\nSet-Cookie: "
    "a=b\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
constexpr char kWantsCredentials[] =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic "
    "realm=\"p\"\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

std::string Url(const test::HttpServer& server, const std::string& path = "/") {
  return "http://" + server.HostPort() + path;
}

FetchRequest Request(std::string url) {
  FetchRequest out;
  out.url = std::move(url);
  return out;
}

Result<FetchAnswer> Fetch(const FetchRequest& request) { return LiveHost().http().Fetch(request); }

Error FailureOf(const FetchRequest& request) {
  const auto answer = Fetch(request);
  EXPECT_FALSE(answer) << answer->status;
  return answer ? Error{} : answer.error();
}

std::string Answer(int status, const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

TEST(HttpFetch, GivesTheAnswer) {
  test::HttpServer server(kGood);
  const auto answer = Fetch(Request(Url(server, "/a?b=c")));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "ok");
  EXPECT_GE(answer->body.capacity(), answer->body.size() + 64);
  EXPECT_EQ(answer->Header("etag"), "\"1\"");
  EXPECT_EQ(answer->Header("x-two"), "a b");
  EXPECT_EQ(answer->Header("none"), "");
  EXPECT_EQ(answer->redirect_url, "");
  ASSERT_THAT(server.Requests(), SizeIs(1));
  EXPECT_THAT(server.Requests()[0], StartsWith("GET /a?b=c HTTP/1.1\r\n"));
  EXPECT_THAT(server.Requests()[0], HasSubstr("User-Agent: provisioner\r\n"));
  EXPECT_THAT(server.Requests()[0], Not(HasSubstr("Encoding")));
  Fetch(Request(Url(server)));
  EXPECT_THAT(server.Requests()[1], Not(HasSubstr("Cookie")));
}

TEST(HttpFetch, SendsWhatItIsGiven) {
  test::HttpServer server(kGood);
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

// Proxies, credentials and places of certificates of whoever started this
// program.
TEST(HttpFetch, TheSurroundingsHaveNoSay) {
  const testing_support::ScratchFolder home;
  std::ofstream(home.path() / ".netrc") << "default login user password hunter2\n";
  const std::string nobody = "http://127.0.0.1:" + std::to_string(test::HttpServer("").port());
  setenv("http_proxy", nobody.c_str(), 1);
  setenv("ALL_PROXY", nobody.c_str(), 1);
  setenv("HOME", home.path().c_str(), 1);
  test::HttpServer server(kGood);
  EXPECT_TRUE(Fetch(Request(Url(server))));
  EXPECT_THAT(server.Requests().at(0), Not(HasSubstr("Authorization")));
  for (const char* name : {"http_proxy", "ALL_PROXY"}) unsetenv(name);
}

TEST(HttpFetch, ARedirectIsAnAnswer) {
  test::HttpServer server(Answer(302, "", "Location: /elsewhere?x=1\r\n"));
  const auto answer = Fetch(Request(Url(server)));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 302);
  EXPECT_EQ(answer->redirect_url, Url(server, "/elsewhere?x=1"));
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
  const auto answer = Fetch(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, body);
  EXPECT_GE(answer->body.capacity(), body.size() + 64);
}

TEST(HttpFetch, HeadersAreBounded) {
  std::string headers;
  for (int i = 0; i < 70; ++i) headers += "X: " + std::string(1000, 'x') + "\r\n";
  test::HttpServer server(Answer(200, "ok", headers));
  const Error error = FailureOf(Request(Url(server)));
  EXPECT_EQ(error.code, Code::kTooLarge);
  EXPECT_THAT(error.message, HasSubstr("headers"));
}

TEST(HttpFetch, OfARefusalTheBeginningIsEnough) {
  test::HttpServer server(Answer(403, std::string(100'000, 'x')));
  const auto answer = Fetch(Request(Url(server)));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 403);
  EXPECT_EQ(answer->body.size(), 65536U);
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
  const auto answer = Fetch(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "");
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
  const auto answer = Fetch(Request(Url(server)));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "\x1f\x8b not gzip");
}

TEST(HttpFetch, ACutAnswerIsNone) {
  test::HttpServer server(
      "HTTP/1.1 200 OK\r\nContent-Length: "
      "100\r\nConnection: close\r\n\r\nhalf");
  const Error error = FailureOf(Request(Url(server)));
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, HasSubstr("ended the connection"));
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
    const auto answer = Fetch(request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 407) << url;
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

// Takes connections and says nothing, or the given bytes and then nothing.
class Silent {
 public:
  Silent() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;
  ~Silent() { close(listener_); }

  std::string Url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_;
  int port_ = 0;
};

double Seconds(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(HttpFetch, Patience) {
  const Silent silent;
  FetchRequest request = Request(silent.Url());
  request.answer_seconds = 1;
  EXPECT_LT(Seconds([&] { EXPECT_THAT(FailureOf(request).message, HasSubstr("within 1 seconds")); }), 5);
  request.answer_seconds = 60;
  request.total_seconds = 2;
  EXPECT_LT(Seconds([&] { EXPECT_THAT(FailureOf(request).message, HasSubstr("within 2 seconds")); }), 6);
}

TEST(HttpFetch, CanBeStopped) {
  const Silent silent;
  FetchRequest request = Request(silent.Url());
  request.answer_seconds = 60;
  request.should_stop = [] { return true; };
  EXPECT_LT(Seconds([&] {
              const auto answer = Fetch(request);
              ASSERT_TRUE(answer) << answer.error().message;
              EXPECT_EQ(answer->status, 0);
            }),
            5);
}

class HttpFetchTls : public testing::Test {
 protected:
  static test::MadeCertificate Leaf(std::int64_t not_after = 2082758400) {
    test::CertificateSpec spec;
    spec.subject = {{"CN", "localhost"}};
    spec.issuer = {{"O", "Example Corp"}, {"CN", "root"}};
    spec.key = "rsa2048#leaf";
    spec.signer = "rsa2048#root";
    spec.ca = false;
    spec.not_after = not_after;
    return test::MakeCertificate(spec);
  }
  static FetchRequest TlsRequest(const test::HttpServer& server, std::vector<std::string> roots) {
    FetchRequest out = Request("https://localhost:" + std::to_string(server.port()) + "/");
    out.roots = std::move(roots);
    return out;
  }

  const std::string root_ = test::MakeRoot("root", "rsa2048#root").der;
  const std::string other_ = test::MakeRoot("other", "rsa2048#other").der;
  const test::Identity identity_{Leaf().pem, test::PrivateKeyPem("rsa2048#leaf")};
};

TEST_F(HttpFetchTls, OwnRootsCountAndNoOthers) {
  test::HttpServer server(kGood, "", &identity_);
  EXPECT_TRUE(Fetch(TlsRequest(server, {other_, root_})));
  for (const std::vector<std::string>& roots : {std::vector<std::string>{other_}, std::vector<std::string>{}}) {
    test::HttpServer refused(kGood, "", &identity_);
    const Error error = FailureOf(TlsRequest(refused, roots));
    EXPECT_EQ(error.code, Code::kTls);
    EXPECT_THAT(error.message, HasSubstr(roots.empty() ? "what this system trusts" : "the CA that counts for it"));
    EXPECT_THAT(refused.Requests(), IsEmpty());
  }
}

TEST_F(HttpFetchTls, AnotherNameOrTime) {
  test::HttpServer server(kGood, "", &identity_);
  FetchRequest request = TlsRequest(server, {root_});
  request.url = "https://127.0.0.1:" + std::to_string(server.port());
  EXPECT_EQ(FailureOf(request).code, Code::kTls);
  const test::Identity expired{Leaf(1'767'300'000).pem, identity_.key};
  test::HttpServer late(kGood, "", &expired);
  EXPECT_THAT(FailureOf(TlsRequest(late, {root_})).message, HasSubstr("expired"));
}

TEST_F(HttpFetchTls, ConnectsElsewhereThanTheNameSays) {
  test::HttpServer server(kGood, "", &identity_);
  FetchRequest request = Request("https://localhost:1/x");
  request.roots = {root_};
  request.connect_to = server.HostPort();
  const auto answer = Fetch(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(server.Requests().at(0), HasSubstr("Host: localhost:1\r\n"));
}

TEST_F(HttpFetchTls, TokensAreNotForTheProxy) {
  test::HttpServer proxy(kGood, "HTTP/1.1 200 Connection established\r\nX-Of-The-Proxy: 1\r\n\r\n", &identity_);
  FetchRequest request = Request("https://localhost:4443/x");
  request.roots = {root_};
  request.proxy_url = Secret("http://" + proxy.HostPort());
  request.bearer_token = Secret("hunter2");
  request.headers = {{"X-Own", "1"}};
  const auto answer = Fetch(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->Header("x-of-the-proxy"), "");
  ASSERT_THAT(proxy.Requests(), SizeIs(2));
  EXPECT_THAT(proxy.Requests()[0], Not(HasSubstr("hunter2")));
  EXPECT_THAT(proxy.Requests()[0], Not(HasSubstr("X-Own")));
  EXPECT_THAT(proxy.Requests()[1], HasSubstr("hunter2"));
}

TEST_F(HttpFetchTls, AClientCertificateMustBeOne) {
  test::HttpServer server(kGood, "", &identity_);
  FetchRequest request = TlsRequest(server, {root_});
  request.client = ClientIdentity{identity_.certificate, Secret(identity_.key)};
  EXPECT_TRUE(Fetch(request));
  request.client->key_pem = Secret(test::PrivateKeyPem("rsa2048#other"));
  EXPECT_EQ(FailureOf(request).code, Code::kCert);
  request.client->key_pem = Secret("hunter2");
  const Error error = FailureOf(request);
  EXPECT_EQ(error.code, Code::kCert);
  EXPECT_THAT(error.message, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace prov::machine
