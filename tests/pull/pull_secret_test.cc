#include "provisioner/pull/pull_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/result.h"

namespace prov::pull {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string UserFor(const std::string& auths, const std::string& registry, const std::string& repository) {
  const auto secret = PullSecret::Parse(R"({"auths":{)" + auths + "}}", "s");
  EXPECT_TRUE(secret) << secret.error().message;
  const Login* login = secret ? secret->Find({registry, repository, "v1", ""}) : nullptr;
  return login == nullptr ? "none" : login->user;
}

TEST(PullSecret, TheLongestNameThatTheImageLiesInCounts) {
  const std::string auths =
      R"("r.io":{"username":"all","password":"p"},"r.io/org":{"username":"org","password":"p"},)"
      R"("*.example.com":{"username":"wild","password":"p"},"https://index.docker.io/v1/":{"username":"hub","password":"p"})";
  EXPECT_EQ(UserFor(auths, "r.io", "org/app"), "org");
  EXPECT_EQ(UserFor(auths, "r.io", "org"), "org");
  EXPECT_EQ(UserFor(auths, "r.io", "organisation/app"), "all");
  EXPECT_EQ(UserFor(auths, "a.example.com", "x"), "wild");
  EXPECT_EQ(UserFor(auths, "a.b.example.com", "x"), "none");
  EXPECT_EQ(UserFor(auths, "docker.io", "library/nginx"), "hub");
  EXPECT_EQ(UserFor(auths, "r.io:5000", "org/app"), "none");
}

TEST(PullSecret, TakesEachFormOfALogin) {
  const auto secret = Must(PullSecret::Parse(
      R"({"auths":{"a.io":{"auth":"dTpwOnE="},"b.io":{"identitytoken":"t"},"c.io":{"username":"u","password":"p"}}})",
      "s"));
  EXPECT_EQ(secret.Find({"a.io", "x", "v", ""})->password.Reveal(), "p:q");
  EXPECT_EQ(secret.Find({"b.io", "x", "v", ""})->user, "");
  EXPECT_EQ(secret.Find({"b.io", "x", "v", ""})->password.Reveal(), "t");
  EXPECT_EQ(secret.Find({"c.io", "x", "v", ""})->user, "u");
}

TEST(PullSecret, IsReadFromASecretOfKubernetes) {
  // {"auths":{"a.io":{"auth":"dTpw"}}}
  const auto secret = Must(PullSecret::Parse(
      R"({"kind":"Secret","data":{".dockerconfigjson":"eyJhdXRocyI6eyJhLmlvIjp7ImF1dGgiOiJkVHB3In19fQ=="}})", "s"));
  EXPECT_EQ(secret.Find({"a.io", "x", "v", ""})->user, "u");
}

TEST(PullSecret, AnEntryWithoutALoginIsNone) {
  const auto secret =
      Must(PullSecret::Parse(R"({"auths":{"a.io":{},"b.io":{"auth":"dTpw"}},"credsStore":"desktop"})", "config.json"));
  EXPECT_EQ(secret.Find({"a.io", "x", "v", ""}), nullptr);
  EXPECT_NE(secret.Find({"b.io", "x", "v", ""}), nullptr);
}

TEST(PullSecret, NamesWhatIsNoLoginAndQuotesNone) {
  for (const auto& [text, code] :
       {std::pair(R"({"auths":{"a.io":{"username":"u"}}})", Code::kInvalidConfig),
        std::pair(R"({"auths":{"a.io":{}},"credsStore":"desktop"})", Code::kKind),
        std::pair(R"({"auths":{"a.io":{"auth":"c4nary"}}})", Code::kInvalidConfig),
        std::pair(R"({"kind":"Secret","data":{"password":"YzRuYXJ5"}})", Code::kKind), std::pair("[", Code::kJson)}) {
    const auto secret = PullSecret::Parse(text, "s");
    ASSERT_FALSE(secret) << text;
    EXPECT_EQ(secret.error().code, code) << text;
    EXPECT_THAT(secret.error().message, Not(HasSubstr("c4nary")));
  }
}

}  // namespace
}  // namespace prov::pull
