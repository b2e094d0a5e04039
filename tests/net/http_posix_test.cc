// The requests of probes, against servers and proxies of this test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/net/probing.h"

namespace prov::net {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kWantsDigest[] =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Digest realm=\"p\", nonce=\"n\", "
    "qop=\"auth\"\r\n"
    "Content-Length: 0\r\nConnection: close\r\n\r\n";

int PortThatNobodyHas() { return test::HttpServer("").port(); }

TEST(Http, StatusOfTheServer) {
  test::HttpServer server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(Get(Url(server)), 404);
}

TEST(Http, BodyIsNotReadToItsEnd) {
  const std::string body(1'000'000, 'x');
  test::HttpServer server("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n" + body);
  EXPECT_EQ(Get(Url(server)), 200);
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

TEST(Http, DigestIsNothingForGo) {
  test::HttpServer proxy(kGood);
  proxy.RefuseWithoutCredentials(kWantsDigest);
  HttpNotes notes;
  HttpRequest request;
  request.url = "http://no-such-host.invalid/";
  request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
  request.notes = &notes;
  EXPECT_EQ(LiveHttp().Get(request), 200);
  for (const std::string& head : proxy.Requests()) EXPECT_THAT(head, Not(HasSubstr("Basic")));
  ASSERT_THAT(notes.findings, SizeIs(1));
  EXPECT_EQ(notes.findings[0].code, "probe-digest");
}

TEST(Http, ProxyThatSays407AndAsksForNothing) {
  constexpr char kSilent[] = "HTTP/1.1 407 x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  test::HttpServer proxy(kGood);
  proxy.RefuseWithoutCredentials(kSilent);
  EXPECT_EQ(Get("http://no-such-host.invalid/", "http://user:hunter2@" + proxy.HostPort()), 200);
  EXPECT_THAT(proxy.Requests(), SizeIs(2));
  test::HttpServer stern("", kSilent);
  const Error error = FailureOf(Get("https://no-such-host.invalid/", "http://user:hunter2@" + stern.HostPort()));
  EXPECT_THAT(error.message, HasSubstr("status 407"));
  ASSERT_THAT(stern.Requests(), SizeIs(2)) << "offered once, and not again";
  EXPECT_THAT(stern.Requests()[1], HasSubstr("Proxy-Authorization: Basic "));
}

// The first answer, 407, says nothing about the credentials.
TEST(Http, ProxyThatAsksForCredentialsAndDoesNotAnswerThen) {
  for (const bool hangs : {false, true}) {
    for (const char* refusal :
         {kWantsCredentials, "HTTP/1.1 407 x\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"}) {
      test::HttpServer proxy("");
      proxy.RefuseWithoutCredentials(refusal);
      if (hangs) proxy.Hang();
      HttpRequest request{.url = "https://no-such-host.invalid/", .proxy_url = {}, .roots = {}};
      request.proxy_url = Secret("http://user:hunter2@" + proxy.HostPort());
      request.timeout_seconds = 2;
      const Error error = FailureOf(LiveHttp().Get(request));
      EXPECT_EQ(error.code, Code::kNetwork);
      EXPECT_THAT(
          error.message,
          HasSubstr(hangs ? " asked for credentials and did not answer the request with them within 2 seconds: it "
                            "hangs, or can't reach the destination"
                          : " asked for credentials, and ended the connection when it got them"));
      EXPECT_THAT(error.message, Not(HasSubstr("hunter2")));
    }
  }
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

// A port that takes connections and says nothing. Each that does not begin with TLS ends at once.
class Mute {
 public:
  Mute() : thread_([this] { Serve(); }) {}
  Mute(const Mute&) = delete;
  Mute& operator=(const Mute&) = delete;
  ~Mute() {
    shutdown(local_.listener(), SHUT_RDWR);
    thread_.join();
    for (const int connection : kept_) close(connection);
  }
  std::uint16_t port() const { return local_.port(); }
  std::size_t connections() const { return count_; }

 private:
  void Serve() {
    constexpr char kTls = 22;  // the first byte of a handshake
    for (int connection = accept(local_.listener(), nullptr, nullptr); connection >= 0;
         connection = accept(local_.listener(), nullptr, nullptr)) {
      ++count_;
      char first = kTls;
      if (recv(connection, &first, 1, 0) == 1 && first != kTls) {
        close(connection);
      } else {
        kept_.push_back(connection);
      }
    }
  }

  LocalPort local_;
  std::atomic<std::size_t> count_ = 0;
  std::vector<int> kept_;
  std::thread thread_;
};

// Who understands neither: TLS is tried once, within the request's time.
TEST(Http, LookingForTlsTakesNoTimeOfItsOwn) {
  const Mute proxy;
  HttpRequest request;
  request.url = "http://no-such-host.invalid/";
  request.proxy_url = Secret("http://user:hunter2@127.0.0.1:" + std::to_string(proxy.port()));
  request.timeout_seconds = 3;  // as two attempts would take six, a busy machine has time left
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(FailureOf(LiveHttp().Get(request)).message, HasSubstr("ended the connection"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(5500));
  EXPECT_EQ(proxy.connections(), 3U) << "without credentials, with them, by TLS";
}

TEST(Http, AnswerThatDoesNotCome) {
  const LocalPort silent;
  HttpRequest request{.url = silent.Url(), .proxy_url = {}, .roots = {}};
  request.timeout_seconds = 1;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(FailureOf(LiveHttp().Get(request)).message, HasSubstr("within 1 second:"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
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

}  // namespace
}  // namespace prov::net
