// Documents fetched from servers of this test, by TLS.
#include <gmock/gmock.h>

#include "tests/net/fetching.h"
#include "tests/support/make_certificate.h"

namespace prov::net {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

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
  test::HttpServer server(kGoodDocument, "", &identity_);
  EXPECT_TRUE(Fetch(TlsRequest(server, {other_, root_})));
  for (const std::vector<std::string>& roots : {std::vector<std::string>{other_}, std::vector<std::string>{}}) {
    test::HttpServer refused(kGoodDocument, "", &identity_);
    const Error error = FailureOf(TlsRequest(refused, roots));
    EXPECT_EQ(error.code, Code::kTls);
    EXPECT_THAT(error.message, HasSubstr("issued by \"CN=root,O=Example Corp\", and this CA is not in"));
    EXPECT_THAT(error.message, HasSubstr(roots.empty() ? "the list of CAs that this system trusts"
                                                       : "the CAs that were named for it (1 c"));
    EXPECT_THAT(error.message, HasSubstr("was the right CA named?"));
    EXPECT_THAT(refused.Requests(), IsEmpty());
  }
}

TEST_F(HttpFetchTls, AnotherNameOrTime) {
  test::HttpServer server(kGoodDocument, "", &identity_);
  FetchRequest request = TlsRequest(server, {root_});
  request.url = "https://127.0.0.1:" + std::to_string(server.port());
  const Error other_name = FailureOf(request);
  EXPECT_EQ(other_name.code, Code::kTls);
  EXPECT_THAT(other_name.message, HasSubstr("names no host (no subjectAltName): have one issued for 127.0.0.1"));
  const test::Identity expired{Leaf(1'767'300'000).pem, identity_.key};
  test::HttpServer late(kGoodDocument, "", &expired);
  EXPECT_THAT(FailureOf(TlsRequest(late, {root_})).message, HasSubstr("expired"));
}

// The connection was lost, and TLS had no word for the end: what came would be a statement without NO_PROXY.
TEST_F(HttpFetchTls, ACutAnswerWithoutALengthIsNone) {
  test::HttpServer server(kEndless, "", &identity_);
  server.EndTlsWithoutAWord();
  EXPECT_EQ(FailureOf(TlsRequest(server, {root_})).code, Code::kNetwork);
}

TEST_F(HttpFetchTls, WithoutTlsOrWithItWhereNoneIsExpected) {
  test::HttpServer plain(kGoodDocument);
  EXPECT_THAT(FailureOf(TlsRequest(plain, {root_})).message, HasSubstr("does not speak TLS on this port"));
  test::HttpServer tls(kGoodDocument, "", &identity_);
  EXPECT_THAT(FailureOf(Request(Url(tls))).message, HasSubstr("the server speaks TLS on this port"));
  FetchRequest request = Request("https://localhost:1/x");
  request.proxy_url = Secret("http://" + tls.HostPort());
  EXPECT_THAT(FailureOf(request).message, StartsWith("the proxy " + tls.HostPort() + " speaks TLS on this port"));
}

TEST_F(HttpFetchTls, ConnectsElsewhereThanTheNameSays) {
  test::HttpServer server(kGoodDocument, "", &identity_);
  FetchRequest request = Request("https://localhost:1/x");
  request.roots = {root_};
  request.connect_to = server.HostPort();
  const auto answer = Fetch(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(server.Requests().at(0), HasSubstr("Host: localhost:1\r\n"));
}

TEST_F(HttpFetchTls, TokensAreNotForTheProxy) {
  test::HttpServer proxy(kGoodDocument, "HTTP/1.1 200 Connection established\r\nX-Of-The-Proxy: 1\r\n\r\n", &identity_);
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
  test::HttpServer server(kGoodDocument, "", &identity_);
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
}  // namespace prov::net
