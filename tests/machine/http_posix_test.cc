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

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kGood[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
constexpr char kConnected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
constexpr char kForbidden[] = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr char kWantsDigest[] =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Digest realm=\"p\", nonce=\"n\", "
    "qop=\"auth\"\r\n"
    "Content-Length: 0\r\nConnection: close\r\n\r\n";
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
  proxy.RefuseWithoutCredentials(kWantsCredentials);
  EXPECT_EQ(Get("http://no-such-host.invalid/path", "http://user%3A:p%40ss%2Fw@" + proxy.HostPort()), 200);
  ASSERT_THAT(proxy.Requests(), SizeIs(2));
  EXPECT_THAT(proxy.Requests()[0], Not(HasSubstr("Proxy-Authorization"))) << "not asked yet";
  EXPECT_THAT(proxy.Requests()[1], StartsWith("GET http://no-such-host.invalid/path HTTP/1.1\r\n"));
  // base64 of "user::p@ss/w"
  EXPECT_THAT(proxy.Requests()[1], HasSubstr("Proxy-Authorization: Basic dXNlcjo6cEBzcy93\r\n"));
}

TEST(Http, ProxyThatTakesDigestNeverSeesThePassword) {
  for (const char* url : {"http://no-such-host.invalid/", "https://no-such-host.invalid/"}) {
    test::HttpServer proxy(kWantsDigest, kWantsDigest);
    const Error error = FailureOf(Get(url, "http://user:hunter2@" + proxy.HostPort()));
    EXPECT_THAT(error.message, HasSubstr("does not take the credentials of its URL (Digest)"));
    ASSERT_THAT(proxy.Requests(), SizeIs(2));
    EXPECT_THAT(proxy.Requests()[1], HasSubstr("Proxy-Authorization: Digest username=\"user\""));
    for (const std::string& head : proxy.Requests()) EXPECT_THAT(head, Not(HasSubstr("Basic")));
  }
}

TEST(Http, DigestIsNothingForGo) {
  test::HttpServer proxy(kGood);
  proxy.RefuseWithoutCredentials(kWantsDigest);
  HttpNotes notes;
  HttpRequest request;
  request.url = "http://no-such-host.invalid/";
  request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
  request.notes = &notes;
  EXPECT_EQ(LiveHost().http().Get(request), 200);
  ASSERT_THAT(notes.findings, SizeIs(1));
  EXPECT_EQ(notes.findings[0].code, "probe-digest");
}

// As Go programs do, which offer Basic without being asked.
TEST(Http, ProxyThatNeverAsksGetsBasic) {
  test::HttpServer proxy(kGood);
  proxy.RefuseWithoutCredentials(kForbidden);
  EXPECT_EQ(Get("http://no-such-host.invalid/", "http://user:hunter2@" + proxy.HostPort()), 200);
  EXPECT_THAT(proxy.Requests(), SizeIs(2));
}

TEST(Http, ProxyThatTakesWhatNobodyHere) {
  test::HttpServer proxy("",
                         "HTTP/1.1 407 x\r\nProxy-Authenticate: Negotiate\r\nProxy-Authenticate: NTLM\r\n"
                         "Content-Length: 0\r\nConnection: close\r\n\r\n");
  const Error error = FailureOf(Get("https://no-such-host.invalid/", "http://user:hunter2@" + proxy.HostPort()));
  EXPECT_THAT(error.message, HasSubstr("takes Negotiate (Kerberos) or NTLM credentials only"));
  EXPECT_THAT(proxy.Requests(), SizeIs(1)) << "no credentials went there";
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
  static test::MadeCertificate Leaf(std::int64_t not_after = 2082758400, const std::string& names = "DNS:localhost") {
    test::CertificateSpec spec;
    spec.subject = {{"CN", "localhost"}};
    spec.issuer = {{"O", "Example Corp"}, {"CN", "root"}};
    spec.key = "rsa2048#leaf";
    spec.signer = "rsa2048#root";
    spec.ca = false;
    spec.not_after = not_after;
    spec.alternative_names = names;
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
  proxy.RefuseWithoutCredentials(kWantsCredentials);
  EXPECT_EQ(Get("https://localhost:4443/x", "http://user:pw@" + proxy.HostPort(), {root_}), 200);
  ASSERT_THAT(proxy.Requests(), SizeIs(3));
  EXPECT_THAT(proxy.Requests()[0], Not(HasSubstr("Proxy-Authorization")));
  EXPECT_THAT(proxy.Requests()[1], StartsWith("CONNECT localhost:4443 HTTP/1.1\r\n"));
  EXPECT_THAT(proxy.Requests()[1], HasSubstr("Proxy-Authorization: Basic "));
  EXPECT_THAT(proxy.Requests()[2], StartsWith("GET /x HTTP/1.1\r\n"));
  EXPECT_THAT(proxy.Requests()[2], Not(HasSubstr("Proxy-Authorization")));
}

TEST_F(HttpTls, ProxyThatSpeaksTls) {
  test::HttpServer proxy(kGood, "", &identity_);
  const std::string url = "https://localhost:" + std::to_string(proxy.port());
  EXPECT_EQ(Get("http://no-such-host.invalid/", url, {root_}), 200);
  const Error error = FailureOf(Get("http://no-such-host.invalid/", url, {other_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, StartsWith("the proxy localhost:"));
  EXPECT_THAT(error.message, HasSubstr("issued by \"CN=root,O=Example Corp\""));
  const Error other_name = FailureOf(Get("http://no-such-host.invalid/", "https://" + proxy.HostPort(), {root_}));
  EXPECT_THAT(other_name.message, AllOf(StartsWith("the proxy 127.0.0.1:"), HasSubstr("not for 127.0.0.1")));
}

TEST_F(HttpTls, TlsPortThatIsSpokenToWithoutTls) {
  test::HttpServer server(kGood, "", &identity_);
  EXPECT_THAT(FailureOf(Get(Url(server))).message, HasSubstr("the server speaks TLS on this port"));
  for (const char* url : {"http://no-such-host.invalid/", "https://no-such-host.invalid/"}) {
    const Error error = FailureOf(Get(url, "http://user:hunter2@" + server.HostPort(), {root_}));
    EXPECT_THAT(error.message, StartsWith("the proxy " + server.HostPort() + " speaks TLS on this port"));
    EXPECT_EQ(error.code, Code::kTls);
  }
  EXPECT_THAT(server.Requests(), IsEmpty());
}

TEST_F(HttpTls, PlainProxyThatIsSpokenToByTls) {
  test::HttpServer proxy(kGood);
  const Error error = FailureOf(Get("http://no-such-host.invalid/", "https://" + proxy.HostPort(), {root_}));
  EXPECT_THAT(error.message, StartsWith("the proxy " + proxy.HostPort() + " does not speak TLS on this port"));
}

TEST_F(HttpTls, TunnelThatEnds) {
  test::HttpServer proxy("", kConnected);
  const Error error = FailureOf(Get("https://no-such-host.invalid/", "http://" + proxy.HostPort(), {root_}));
  EXPECT_THAT(error.message, HasSubstr("opened the way, but the connection ended while TLS"));
}

// libcurl takes the subject for the name; Go programs don't.
TEST_F(HttpTls, CertificateWithoutNames) {
  const test::Identity nameless{Leaf(2082758400, "").pem, identity_.key};
  test::HttpServer server(kGood, "", &nameless);
  const Error error = FailureOf(Get(TlsUrl(server), "", {root_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, HasSubstr("subjectAltName"));
}

TEST_F(HttpTls, CaOfTheSameNameAndAnotherKey) {
  test::HttpServer server(kGood, "", &identity_);
  const std::string namesake = test::MakeRoot("root", "rsa2048#other").der;
  EXPECT_THAT(FailureOf(Get(TlsUrl(server), "", {namesake})).message, HasSubstr("but with another key"));
}

TEST_F(HttpTls, OtherCertificatesAreNotTrusted) {
  for (const std::vector<std::string>& roots : {std::vector<std::string>{other_}, std::vector<std::string>{}}) {
    test::HttpServer server(kGood, "", &identity_);
    const Error error = FailureOf(Get(TlsUrl(server), "", roots));
    EXPECT_EQ(error.code, Code::kTls);
    EXPECT_THAT(error.message, HasSubstr("issued by \"CN=root,O=Example Corp\""));
    EXPECT_THAT(error.message, HasSubstr(roots.empty() ? "what this system trusts" : "trust bundle (1 certificate)"));
    EXPECT_THAT(server.Requests(), IsEmpty());
  }
}

TEST_F(HttpTls, CertificateOfAnotherNameOrTime) {
  test::HttpServer server(kGood, "", &identity_);
  const Error error = FailureOf(Get("https://127.0.0.1:" + std::to_string(server.port()), "", {root_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, HasSubstr("is for \"localhost\" and not for 127.0.0.1"));
  const test::Identity expired{Leaf(1'767'300'000).pem, identity_.key};
  test::HttpServer late(kGood, "", &expired);
  EXPECT_THAT(FailureOf(Get(TlsUrl(late), "", {root_})).message, HasSubstr("expired"));
}

TEST_F(HttpTls, PortWithoutTls) {
  test::HttpServer server(kGood);
  const Error error = FailureOf(Get(TlsUrl(server), "", {root_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, HasSubstr("does not speak TLS on this port"));
}

}  // namespace
}  // namespace prov::machine
