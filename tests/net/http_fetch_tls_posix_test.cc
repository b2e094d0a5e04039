// Documents fetched from servers of this test, by TLS.
#include <gmock/gmock.h>

#include "tests/net/fetching.h"
#include "tests/net/tls_serving.h"
#include "tests/support/result.h"

namespace prov::net {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class HttpFetchTls : public TlsTest {
 protected:
  static FetchRequest TlsRequest(const test::HttpServer& server, std::vector<std::string> roots) {
    FetchRequest out = Request(TlsUrl(server));
    out.roots = std::move(roots);
    return out;
  }
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

// A token must not reach a server that kubelet would refuse.
TEST_F(HttpFetchTls, ACertificateThatNamesNoHostGetsNoRequest) {
  const test::Identity nameless{Leaf(2082758400, "").pem, identity_.key};
  test::HttpServer server(kGoodDocument, "", &nameless);
  FetchRequest request = TlsRequest(server, {root_});
  const Error error = FailureOf(request);
  EXPECT_EQ(error.code, Code::kTls);
  EXPECT_THAT(error.message, HasSubstr("names no host (no subjectAltName)"));
  EXPECT_THAT(server.Requests(), IsEmpty());
  request.skip_verify = true;
  test::HttpServer unverified(kGoodDocument, "", &nameless);
  request.url = TlsRequest(unverified, {}).url;
  EXPECT_TRUE(Fetch(request)) << "nothing is verified then";
}

// The connection was lost, and TLS had no word for the end: what came would be a statement without NO_PROXY.
TEST_F(HttpFetchTls, ACutAnswerWithoutALengthIsNone) {
  test::HttpServer server(kEndless, "", &identity_);
  server.EndTlsWithoutAWord();
  EXPECT_EQ(FailureOf(TlsRequest(server, {root_})).code, Code::kNetwork);
}

TEST_F(HttpFetchTls, WithTlsWhereNoneIsExpected) {
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
  Must(Fetch(request));
  EXPECT_THAT(server.Requests().at(0), HasSubstr("Host: localhost:1\r\n"));
}

TEST_F(HttpFetchTls, TokensAreNotForTheProxy) {
  test::HttpServer proxy(kGoodDocument, "HTTP/1.1 200 Connection established\r\nX-Of-The-Proxy: 1\r\n\r\n", &identity_);
  FetchRequest request = Request("https://localhost:4443/x");
  request.roots = {root_};
  request.proxy_url = Secret("http://" + proxy.HostPort());
  request.bearer_token = Secret("hunter2");
  request.headers = {{"X-Own", "1"}};
  const auto answer = Must(Fetch(request));
  EXPECT_EQ(answer.Header("x-of-the-proxy"), "");
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
