// The requests of probes, against servers of this test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "provisioner/machine/host.h"
#include "tests/support/http_server.h"
#include "tests/support/make_certificate.h"

namespace prov::machine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kGood[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
constexpr char kConnected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
constexpr char kWantsCredentials[] =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

Result<int> Get(const std::string& url, const std::string& proxy = "", std::vector<std::string> roots = {}) {
  HttpRequest request{.url = url, .proxy_url = {}, .roots = std::move(roots), .timeout_seconds = 10};
  if (!proxy.empty()) request.proxy_url = Secret(proxy);
  return LiveHost().http().Get(request);
}

Error FailureOf(const Result<int>& answer) {
  EXPECT_FALSE(answer) << *answer;
  return answer ? Error{} : answer.error();
}

int PortThatNobodyHas() { return test::HttpServer("").port(); }

std::string Url(const test::HttpServer& server, const std::string& path = "/") {
  return "http://" + server.HostPort() + path;
}

TEST(Http, StatusOfTheServer) {
  test::HttpServer server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(Get(Url(server)), 404);
}

TEST(Http, RedirectIsAnAnswer) {
  test::HttpServer server(
      "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(Get(Url(server)), 302);
  EXPECT_THAT(server.Requests(), SizeIs(1));
}

TEST(Http, BodyIsNotReadToItsEnd) {
  const std::string body(1'000'000, 'x');
  test::HttpServer server("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + body);
  EXPECT_EQ(Get(Url(server)), 200);
}

// What is in the environment is what is to be changed, or of whoever started this program.
TEST(Http, EnvironmentHasNoSay) {
  const std::string nobody = "http://127.0.0.1:" + std::to_string(PortThatNobodyHas());
  setenv("http_proxy", nobody.c_str(), 1);
  setenv("ALL_PROXY", nobody.c_str(), 1);
  setenv("NO_PROXY", "*", 1);
  test::HttpServer server(kGood);
  EXPECT_EQ(Get(Url(server)), 200);
  test::HttpServer proxy(kGood);
  EXPECT_EQ(Get("http://no-such-host.invalid/", "http://" + proxy.HostPort()), 200);
  for (const char* name : {"http_proxy", "ALL_PROXY", "NO_PROXY"}) unsetenv(name);
}

TEST(Http, PlainRequestGoesThroughTheProxyWithItsCredentials) {
  test::HttpServer proxy(kGood);
  EXPECT_EQ(Get("http://no-such-host.invalid/path", "http://user%3A:p%40ss%2Fw@" + proxy.HostPort()), 200);
  ASSERT_THAT(proxy.Requests(), SizeIs(1));
  EXPECT_THAT(proxy.Requests()[0], StartsWith("GET http://no-such-host.invalid/path HTTP/1.1\r\n"));
  // base64 of "user::p@ss/w"
  EXPECT_THAT(proxy.Requests()[0], HasSubstr("Proxy-Authorization: Basic dXNlcjo6cEBzcy93\r\n"));
}

TEST(Http, ProxyThatWantsOtherCredentials) {
  for (const char* url : {"http://no-such-host.invalid/", "https://no-such-host.invalid/"}) {
    test::HttpServer proxy(kWantsCredentials, kWantsCredentials);
    const Error error = FailureOf(Get(url, "http://user:hunter2@" + proxy.HostPort()));
    EXPECT_EQ(error.code, Code::kNetwork);
    EXPECT_THAT(error.message, HasSubstr(proxy.HostPort()));
    EXPECT_THAT(error.message, HasSubstr("status 407"));
    EXPECT_THAT(error.message, HasSubstr("credentials"));
    EXPECT_THAT(error.message + error.where, Not(HasSubstr("hunter2")));
    EXPECT_EQ(error.where, url);
  }
}

TEST(Http, ProxyThatForbidsTheDestination) {
  test::HttpServer proxy("", "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  const Error error = FailureOf(Get("https://no-such-host.invalid/", "http://" + proxy.HostPort()));
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, HasSubstr("status 403: its rules forbid"));
}

TEST(Http, PortThatNobodyListensAt) {
  const std::string port = std::to_string(PortThatNobodyHas());
  EXPECT_THAT(FailureOf(Get("http://127.0.0.1:" + port + "/")).message,
              StartsWith("the server refused the connection"));
  EXPECT_THAT(FailureOf(Get("http://x.invalid/", "http://127.0.0.1:" + port)).message,
              StartsWith("the proxy 127.0.0.1:" + port + " refused the connection"));
}

TEST(Http, NamesThatAreNotFound) {
  EXPECT_THAT(FailureOf(Get("http://no-such-host.invalid/")).message, HasSubstr("address of the server is not found"));
  EXPECT_THAT(FailureOf(Get("http://x.invalid/", "http://no-such-proxy.invalid:3128")).message,
              HasSubstr("address of the proxy no-such-proxy.invalid:3128 is not found"));
}

TEST(Http, AnswerThatDoesNotCome) {
  const int silent = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(silent, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(silent, 1), 0);
  ASSERT_EQ(getsockname(silent, reinterpret_cast<sockaddr*>(&address), &size), 0);
  HttpRequest request{
      .url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)), .proxy_url = {}, .roots = {}};
  request.timeout_seconds = 1;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(FailureOf(LiveHost().http().Get(request)).message, HasSubstr("within 1 seconds"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  close(silent);
}

TEST(Http, ConnectionThatEndsWithoutAnAnswer) {
  test::HttpServer server("");
  const Error error = FailureOf(Get(Url(server)));
  EXPECT_EQ(error.code, Code::kNetwork);
  EXPECT_THAT(error.message, HasSubstr("ended the connection"));
}

TEST(Http, OnlyWebAddresses) {
  for (const char* url : {"file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1", "", "httpx://a", "gopher://a/"}) {
    EXPECT_EQ(FailureOf(Get(url)).code, Code::kScheme) << url;
  }
}

TEST(Http, MalformedProxyIsNoDirectConnection) {
  test::HttpServer server(kGood);
  const Error error = FailureOf(Get(Url(server), "http://user:hunter2@pro xy:3128"));
  EXPECT_EQ(error.code, Code::kProxyUrl);
  EXPECT_THAT(error.message + error.where, Not(HasSubstr("hunter2")));
  EXPECT_THAT(server.Requests(), IsEmpty());
}

class HttpTls : public testing::Test {
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

  const std::string root_ = test::MakeRoot("root", "rsa2048#root").der;
  const std::string other_ = test::MakeRoot("other", "rsa2048#other").der;
  const test::Identity identity_{Leaf().pem, test::PrivateKeyPem("rsa2048#leaf")};
};

std::string TlsUrl(const test::HttpServer& server) {
  return "https://localhost:" + std::to_string(server.port()) + "/";
}

TEST_F(HttpTls, RootOfTheBundleIsTrusted) {
  test::HttpServer server(kGood, "", &identity_);
  EXPECT_EQ(Get(TlsUrl(server), "", {other_, root_}), 200);
}

TEST_F(HttpTls, ThroughAProxy) {
  test::HttpServer proxy(kGood, kConnected, &identity_);
  EXPECT_EQ(Get("https://localhost:4443/x", "http://user:pw@" + proxy.HostPort(), {root_}), 200);
  ASSERT_THAT(proxy.Requests(), SizeIs(2));
  EXPECT_THAT(proxy.Requests()[0], StartsWith("CONNECT localhost:4443 HTTP/1.1\r\n"));
  EXPECT_THAT(proxy.Requests()[0], HasSubstr("Proxy-Authorization: Basic "));
  EXPECT_THAT(proxy.Requests()[1], StartsWith("GET /x HTTP/1.1\r\n"));
  EXPECT_THAT(proxy.Requests()[1], Not(HasSubstr("Proxy-Authorization")));
}

TEST_F(HttpTls, ProxyThatSpeaksTls) {
  test::HttpServer proxy(kGood, "", &identity_);
  const std::string url = "https://localhost:" + std::to_string(proxy.port());
  EXPECT_EQ(Get("http://no-such-host.invalid/", url, {root_}), 200);
  const Error error = FailureOf(Get("http://no-such-host.invalid/", url, {other_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, StartsWith("the proxy localhost:"));
}

TEST_F(HttpTls, OtherCertificatesAreNotTrusted) {
  for (const std::vector<std::string>& roots : {std::vector<std::string>{other_}, std::vector<std::string>{}}) {
    test::HttpServer server(kGood, "", &identity_);
    const Error error = FailureOf(Get(TlsUrl(server), "", roots));
    EXPECT_EQ(error.code, Code::kTls);
    EXPECT_THAT(error.message, HasSubstr("unable to get local issuer certificate"));
    EXPECT_THAT(error.message, HasSubstr(roots.empty() ? "what this system trusts" : "the trust bundle"));
    EXPECT_THAT(server.Requests(), IsEmpty());
  }
}

TEST_F(HttpTls, CertificateOfAnotherNameOrTime) {
  test::HttpServer server(kGood, "", &identity_);
  EXPECT_EQ(FailureOf(Get("https://127.0.0.1:" + std::to_string(server.port()), "", {root_})).code, Code::kTls);
  const test::Identity expired{Leaf(1'767'300'000).pem, identity_.key};
  test::HttpServer late(kGood, "", &expired);
  EXPECT_THAT(FailureOf(Get(TlsUrl(late), "", {root_})).message, HasSubstr("expired"));
}

TEST_F(HttpTls, PortWithoutTls) {
  test::HttpServer server(kGood);
  const Error error = FailureOf(Get(TlsUrl(server), "", {root_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, HasSubstr("is this a TLS port"));
}

}  // namespace
}  // namespace prov::machine
