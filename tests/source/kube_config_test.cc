#include "provisioner/source/kube_config.h"

#include <fmt/format.h>

#include "tests/source/kube_helpers.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string KubeConfigOf(std::string_view cluster, std::string_view user) {
  return fmt::format(
      R"({{"current-context":"x","contexts":[{{"name":"w","context":{{}}}},{{"name":"x","context":{{"cluster":"c","user":"u"}}}}],)"
      R"("clusters":[{{"name":"c","cluster":{{{}}}}}],"users":[{{"name":"u","user":{{{}}}}}]}})",
      cluster, user);
}

constexpr std::string_view kServer = R"("server":"https://api.example.test:6443")";

Error Refused(std::string_view cluster, std::string_view user) {
  const auto config = ParseKubeConfig(KubeConfigOf(cluster, user), "config", "");
  EXPECT_FALSE(config) << cluster << user;
  if (config) return {};
  EXPECT_THAT(config.error().message + config.error().where, Not(HasSubstr("c4nary")));
  return config.error();
}

TEST(KubeConfig, ReadsWhatKubectlWrites) {
  const auto config = Must(ParseKubeConfig(R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLQ==
    proxy-url: http://user:pw@proxy.example.test:3128
    server: https://api.example.test:6443/
    tls-server-name: kubernetes.default
  name: api-example-test:6443
contexts:
- context:
    cluster: api-example-test:6443
    namespace: default
    user: kube:admin/api-example-test:6443
  name: default/api-example-test:6443/kube:admin
current-context: default/api-example-test:6443/kube:admin
kind: Config
preferences: {}
users:
- name: kube:admin/api-example-test:6443
  user:
    token: sha256~c4nary
)",
                                           "config", ""));
  EXPECT_EQ(config.context, "default/api-example-test:6443/kube:admin");
  EXPECT_EQ(config.cluster.host, "api.example.test:6443");
  EXPECT_EQ(config.cluster.prefix, "");
  EXPECT_EQ(config.cluster.tls_server_name, "kubernetes.default");
  EXPECT_EQ(config.cluster.ca.data->Reveal(), "----");
  EXPECT_EQ(config.cluster.proxy_url->Reveal(), "http://user:pw@proxy.example.test:3128");
  EXPECT_EQ(config.user.token->Reveal(), "sha256~c4nary");
}

// Nobody asks for what the others are; of several values for one key the last counts.
TEST(KubeConfig, ReadsOneContextWhateverTheOthersAre) {
  const auto config = Must(ParseKubeConfig(R"({"current-context":"w","current-context":"x","colour":{"a":1,"a":2},
      "contexts":[{"name":"x","context":{"cluster":"no","user":"u","cluster":"c","more":[]}},null,{"name":7}],
      "clusters":[{"name":"other","cluster":{"server":7}},{"name":"c","cluster":{"server":"https://a","new":{}}},7],
      "users":[{"name":"other","user":{"exec":{"command":"x"},"exec":7}},{"name":"p","user":{"auth-provider":{}}},
               {"name":"u","user":{"token":"1","token":"2"}},{"name":{}}]})",
                                           "config", ""));
  EXPECT_EQ(config.cluster.host, "a");
  EXPECT_EQ(config.user.token->Reveal(), "2");
}

TEST(KubeConfig, RefusesToTrustAnybody) {
  EXPECT_EQ(Refused(fmt::format(R"({},"insecure-skip-tls-verify":true)", kServer), "").code, Code::kTls);
  EXPECT_TRUE(
      ParseKubeConfig(KubeConfigOf(fmt::format(R"({},"insecure-skip-tls-verify":false)", kServer), ""), "f", ""));
  EXPECT_EQ(Refused(R"("server":"http://api.example.test")", "").code, Code::kTls);
}

TEST(KubeConfig, RefusesAProxyThatIsNone) {
  const Error error = Refused(fmt::format(R"({},"proxy-url":"socks5://u:c4nary@proxy:1")", kServer), "");
  EXPECT_EQ(error.code, Code::kProxyUrl);
  EXPECT_EQ(error.where, "config: $.clusters[0].cluster.proxy-url");
}

TEST(KubeConfig, RefusesCredentialsThatItCannotHave) {
  for (const char* user : {R"("exec":{"command":"c4nary"})", R"("auth-provider":{"name":"oidc"})",
                           R"("username":"a","password":"c4nary")", R"("password":"c4nary")", R"("as":"c4nary")"}) {
    const Error error = Refused(kServer, user);
    EXPECT_EQ(error.code, Code::kKind) << user;
    EXPECT_THAT(error.message, HasSubstr("oc create token"));
    EXPECT_THAT(error.where, HasSubstr("config: $.users[0].user."));
  }
  EXPECT_TRUE(ParseKubeConfig(KubeConfigOf(kServer, R"("token":"t","exec":null,"username":"")"), "f", ""));
}

TEST(KubeConfig, NamesWhatIsMissing) {
  EXPECT_EQ(Refused("", "").code, Code::kNotFound);
  EXPECT_EQ(Refused(kServer, R"("client-key-data":"YQ==")").code, Code::kNotFound);
  const Error other = ErrorIn(ParseKubeConfig(KubeConfigOf(kServer, ""), "config", "y"));
  EXPECT_EQ(other.code, Code::kNotFound);
  EXPECT_THAT(other.message, HasSubstr("context \"y\""));
  EXPECT_EQ(ParseKubeConfig(KubeConfigOf(kServer, ""), "config", "w").error().message,
            "the cluster \"\" is not in this kubeconfig; run kubectl config view to see those that are");
  EXPECT_EQ(ParseKubeConfig("{}", "config", "").error().where, "config: $.current-context");
}

TEST(KubeConfig, RefusesOtherTypesAndBrokenText) {
  EXPECT_EQ(Refused(R"("server":7)", "").where, "config: $.clusters[0].cluster.server");
  EXPECT_EQ(Refused(kServer, R"("token":["c4nary"])").code, Code::kType);
  EXPECT_EQ(Refused(kServer, R"("client-certificate-data":"c4nary*","client-key-data":"YQ==")").code, Code::kCert);
  EXPECT_EQ(ParseKubeConfig("[]", "config", "").error().code, Code::kType);
  EXPECT_EQ(ParseKubeConfig("a: [c4nary", "config", "").error().code, Code::kYaml);
  EXPECT_THAT(ParseKubeConfig("{\"a\":", "config", "").error().where, HasSubstr("config, line 1"));
  EXPECT_EQ(ParseKubeConfig("contexts: [7]\ncurrent-context: a\n", "config", "").error().code, Code::kType);
}

TEST(KubeConfig, ServersAreHttpsUrls) {
  const struct {
    const char* url;
    const char* host;
    const char* prefix;
  } good[] = {
      {"https://a", "a", ""}, {"HTTPS://a:6443/", "a:6443", ""}, {"https://[::1]:1/k8s/c-x/", "[::1]:1", "/k8s/c-x"}};
  for (const auto& c : good) {
    const auto server = ParseKubeServer(c.url, "w");
    ASSERT_TRUE(server) << c.url;
    EXPECT_EQ(server->host, c.host);
    EXPECT_EQ(server->prefix, c.prefix);
  }
  for (const char* url :
       {"", "a:6443", "http://a", "https://", "https://:6443", "https:///x", "https://u:c4nary@a", "https://a?x=c4nary",
        "https://a#x", "https://a b", "https://a\\b", "https://a\n", "https://\xc3\xa4"}) {
    const auto server = ParseKubeServer(url, "w");
    ASSERT_FALSE(server) << url;
    EXPECT_THAT(server.error().message, Not(HasSubstr("c4nary")));
  }
  EXPECT_EQ(Refused(fmt::format(R"({},"tls-server-name":"a/b")", kServer), "").code, Code::kType);
}

}  // namespace
}  // namespace prov::source
