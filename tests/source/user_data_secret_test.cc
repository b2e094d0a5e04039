// The Secret with user data, as a document.
#include "provisioner/source/user_data_secret.h"

#include <gtest/gtest.h>

#include "tests/source/document_helpers.h"

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

TEST(UserDataSecret, SeveralWantAName) {
  const std::string text = SecretYaml(kConfig, "a") + "---\n" + SecretYaml("{}", "b");
  EXPECT_THAT(Failure(ReadText(text)), StartsWith("not-found: 2 objects Secret are there"));
  EXPECT_TRUE(ReadText(text, {.pool = "worker", .name = "a"}));
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
}

}  // namespace
}  // namespace prov::source
