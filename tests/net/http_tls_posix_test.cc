// What probes make of the certificates of servers and proxies of this test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/net/probing.h"
#include "tests/net/tls_serving.h"

namespace prov::net {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using HttpTls = TlsTest;

// As Windows has it: what is in a store of roots and is none leads nowhere.
TEST_F(HttpTls, OnlyRootsEndAChainWhereThatIsWanted) {
  test::CertificateSpec between;
  between.subject = {{"O", "Example Corp"}, {"CN", "root"}};  // as the leaf names its issuer
  between.issuer = {{"O", "Example Corp"}, {"CN", "above"}};
  between.key = "rsa2048#root";
  between.signer = "rsa2048#above";
  const std::string intermediate = test::MakeCertificate(between).der;
  const std::string above = test::MakeRoot("above", "rsa2048#above").der;
  const auto get = [&](const std::vector<std::string>& roots, bool up_to_roots) {
    test::HttpServer server(kGood, "", &identity_);
    HttpRequest request{.url = TlsUrl(server), .proxy_url = {}, .roots = roots, .up_to_roots = up_to_roots};
    return LiveHttp().Get(request);
  };
  EXPECT_EQ(get({intermediate, above}, true), 200);
  EXPECT_EQ(get({root_}, true), 200);
  EXPECT_THAT(FailureOf(get({intermediate}, true)).message,
              HasSubstr("issued by \"CN=above,O=Example Corp\", and this CA is not in"));
  EXPECT_EQ(get({intermediate}, false), 200) << "Go takes it";
}

TEST_F(HttpTls, ServersCertificateInTheBundle) {
  const auto get = [&](const test::MadeCertificate& leaf, const char* key) {
    const test::Identity identity{leaf.pem, test::PrivateKeyPem(key)};
    test::HttpServer server(kGood, "", &identity);
    HttpRequest request{.url = TlsUrl(server), .proxy_url = {}, .roots = {leaf.der}, .up_to_roots = true};
    return LiveHttp().Get(request);
  };
  EXPECT_THAT(FailureOf(get(Leaf(), "rsa2048#leaf")).message, HasSubstr("issued by \"CN=root,O=Example Corp\""));
  for (const bool ca : {true, false}) {
    test::CertificateSpec spec;
    spec.subject = {{"CN", "localhost"}};
    spec.key = "rsa2048#leaf";
    spec.ca = ca;
    spec.alternative_names = "DNS:localhost";
    EXPECT_EQ(get(test::MakeCertificate(spec), "rsa2048#leaf"), 200) << "it signed itself";
  }
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
  EXPECT_THAT(error.message, HasSubstr("accepted CONNECT, but the connection ended during the TLS"));
}

// libcurl takes the subject for the name; Go programs don't.
TEST_F(HttpTls, CertificateWithoutNames) {
  const test::Identity nameless{Leaf(2082758400, "").pem, identity_.key};
  test::HttpServer server(kGood, "", &nameless);
  const Error error = FailureOf(Get(TlsUrl(server), "", {root_}));
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, HasSubstr("names no host (no subjectAltName)"));
  EXPECT_THAT(server.Requests(), IsEmpty());
}

TEST_F(HttpTls, OtherCertificatesAreNotTrusted) {
  for (const std::vector<std::string>& roots : {std::vector<std::string>{other_}, std::vector<std::string>{}}) {
    test::HttpServer server(kGood, "", &identity_);
    const Error error = FailureOf(Get(TlsUrl(server), "", roots));
    EXPECT_EQ(error.code, Code::kTls);
    EXPECT_THAT(error.message, HasSubstr("issued by \"CN=root,O=Example Corp\""));
    EXPECT_THAT(error.message,
                HasSubstr(roots.empty() ? "the list of CAs that this system trusts" : "trust bundle (1 certificate)"));
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

}  // namespace
}  // namespace prov::net
