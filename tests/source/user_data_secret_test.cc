// The Secret with user data, as a document.
#include "provisioner/source/user_data_secret.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"
#include "tests/support/paths.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kConfig =
    R"({"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/mco/proxy.env","contents":{"source":"data:,HTTP_PROXY=http://s:1%0A"}}]}})";

// As oc get secret -o yaml prints it.
std::string SecretYaml(std::string_view user_data, std::string_view name = "worker-user-data-managed") {
  return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: " + std::string(name) +
         "\n  namespace: openshift-machine-api\ntype: Opaque\ndata:\n  disableTemplating: dHJ1ZQo=\n  userData: " +
         EncodeBase64(user_data) + "\n";
}

TEST(UserDataSecret, ItsConfigIsRead) {
  for (const std::string& text : {SecretYaml(kConfig), "kind: List\nitems:\n-\n" + Indented(SecretYaml(kConfig), 2),
                                  SecretYaml(kConfig) + "---\n" + "kind: Secret\ndata: {token: AAAA}\n",
                                  "kind: Secret\nstringData:\n  userData: '" + std::string(kConfig) + "'\n"}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.source.kind, "Ignition");
    EXPECT_EQ(config.http_proxy->Reveal(), "http://s:1");
  }
}

// HyperShift's user-data-NODEPOOL-HASH, as the Cluster API has user data.
TEST(UserDataSecret, ThatOfANodePoolIsRead) {
  const std::string node_pool =
      "kind: Secret\nmetadata: {name: user-data-workers-1a2b}\ndata:\n  disableTemplating: "
      "dHJ1ZQ==\n  value: " +
      EncodeBase64(kConfig) + "\n";
  EXPECT_EQ(MustRead(node_pool).http_proxy->Reveal(), "http://s:1");
  const std::string script = "kind: Secret\ndata:\n  value: " + EncodeBase64("#!/bin/sh\n") + "\n";
  EXPECT_THAT(Failure(ReadText(script)),
              testing::AllOf(HasSubstr("user-data-NODEPOOL-HASH"), HasSubstr("$.data.value")));
  EXPECT_EQ(MustRead(script + "---\n" + SecretYaml(kConfig)).http_proxy->Reveal(), "http://s:1")
      << "a value of something else hides no user data";
}

// Its pointer config is followed with the token that the ignition server asks for.
TEST(UserDataSecret, ANodePoolsPointerIsFollowedWithItsHeaders) {
  const std::string pointer =
      R"({"ignition":{"version":"3.2.0","config":{"merge":[{"source":"https://ignition.example.com/ignition",)"
      R"("httpHeaders":[{"name":"Authorization","value":"Bearer c4nary"},{"name":"NodePool","value":"clusters/workers"}]}]}}})";
  class Server final : public ignition::Fetcher {
   public:
    Result<std::string> Fetch(const ignition::FetchOrder& order) override {
      orders.push_back(order);
      return std::string(kConfig);
    }
    std::vector<ignition::FetchOrder> orders;
  } server;
  const auto read = ReadDocument("kind: Secret\ndata:\n  value: " + EncodeBase64(pointer) + "\n", "input", {}, &server);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->http_proxy->Reveal(), "http://s:1");
  ASSERT_EQ(server.orders.size(), 1U);
  EXPECT_EQ(server.orders.front().url, "https://ignition.example.com/ignition");
  EXPECT_EQ(server.orders.front().headers.size(), 2U);
}

TEST(UserDataSecret, SeveralWantAName) {
  const std::string text = SecretYaml(kConfig, "a") + "---\n" + SecretYaml("{}", "b");
  EXPECT_THAT(Failure(ReadText(text)), StartsWith("not-found: 2 objects Secret are there"));
  EXPECT_TRUE(ReadText(text, {.pool = "worker", .name = "a"}));
}

TEST(UserDataSecret, IsNamedBesideWhatIsRead) {
  const std::string secret = SecretYaml(kConfig, "worker-user-data");
  const std::string node_pool = "kind: Secret\nmetadata: {name: np}\ndata:\n  value: " + EncodeBase64(kConfig) + "\n";
  const std::string proxy = "---\nkind: Proxy\nmetadata: {name: cluster}\nspec: {}\nstatus: {httpProxy: http://p:1}\n";
  const std::string rancher =
      "---\napiVersion: provisioning.cattle.io/v1\nkind: Cluster\nspec: {agentEnvVars: [{name: "
      "HTTP_PROXY, value: http://p:1}]}\n";
  for (const std::string& other :
       {proxy, rancher,
        "---\n" + testing_support::ReadAll(testing_support::TestsFolder() + "/sample/rendered-worker.json"),
        std::string("---\nhttpProxy: http://p:1/\nhttpsProxy: http://p:1/\n")}) {
    EXPECT_THAT(MessageOf(MustRead(secret + "---\n" + node_pool + other).findings, "other-objects"),
                StartsWith("user data in Secrets (worker-user-data, np) was passed over: "))
        << other;
  }
  for (const std::string& of_others :
       {std::string("data: {tls.crt: AAAA}\n"), "data: {value: " + EncodeBase64("token") + "}\n",
        std::string("data: {value: 7}\n"), std::string("data: {userData: ''}\n")})
    EXPECT_THAT(MustRead("kind: Secret\n" + of_others + proxy).findings, testing::Not(HasCode("other-objects")));
  const auto none =
      MustRead("kind: ControllerConfig\nspec: {proxy: null, additionalTrustBundle: null}\n---\n" + secret);
  EXPECT_TRUE(none.not_read.proxy) << "its proxy would count as none";
  EXPECT_TRUE(none.not_read.trust);
  EXPECT_THAT(none.findings, testing::Not(HasCode("other-objects")));
}

TEST(UserDataSecret, ErrorsNameThePlaceInTheSecret) {
  const std::pair<std::string, std::string> rows[] = {
      // A pointer needs the network, which this reading has not.
      {SecretYaml(
           R"({"ignition":{"version":"3.2.0","config":{"merge":[{"source":"https://api-int.example.com:22623/config/worker"}]}}})"),
       "merge-remote: "},
      {SecretYaml("{\"ignition\": }"), "json: "},
      {SecretYaml("{}"), "kind: "},
      {SecretYaml("<powershell>\n</powershell>\n", "windows-user-data"),
       "kind: the Secret's user data is not an Ignition config"},
      {"kind: Secret\ndata:\n  userData: '!'\n", "invalid-config: the Secret's user data is not base64"},
      {"kind: Secret\ndata:\n  userData: 7\n", "type: "},
  };
  for (const auto& [text, failure] : rows) {
    EXPECT_THAT(Failure(ReadText(text)), StartsWith(failure)) << text;
    EXPECT_THAT(Failure(ReadText(text)), HasSubstr("$.data.userData")) << text;
  }
  EXPECT_THAT(Failure(ReadText("kind: Secret\ndata: {tls.crt: AAAA}\n")), HasSubstr("no data.userData"));
  for (const char* text : {"kind: Secret\ndata: {userData: ''}\n", "kind: Secret\nstringData: {userData: \" \\n\"}\n"})
    EXPECT_THAT(Failure(ReadText(text)), StartsWith("kind: is empty; a Secret has its user data there")) << text;
  EXPECT_TRUE(ReadText(SecretYaml(kConfig) + "---\nkind: Secret\ndata: {userData: ''}\n"));
}

}  // namespace
}  // namespace prov::source
