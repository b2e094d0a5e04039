#include "provisioner/publish/pod_params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/settings_digest.h"
#include "tests/support/result.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

egress::EgressConfig Config(const std::string& http = "http://p:1", const std::vector<std::string>& certificates = {}) {
  egress::EgressConfig out;
  out.http_proxy = Secret(http);
  out.no_proxy = "a,.b";
  for (const std::string& sha256 : certificates) {
    out.certificates.emplace_back();
    out.certificates.back().sha256 = sha256;
  }
  return out;
}

const PodTrust kTrust{.config_map = "user-ca", .key = "all.pem"};

std::string Digest(const egress::EgressConfig& config, const std::optional<PodTrust>& trust = std::nullopt) {
  return MakePodParams(config, trust).at("digest");
}

TEST(PodParams, HoldWhatAContainersValueGets) {
  egress::EgressConfig config = Config("http://u:$(X)$$@p:1");
  config.https_proxy = Secret("");
  EXPECT_THAT(MakePodParams(config, std::nullopt), ElementsAre(Pair("HTTP_PROXY", "http://u:$$(X)$$$@p:1"),
                                                               Pair("NO_PROXY", "a,.b"), Pair("digest", SizeIs(64))))
      << "an empty value is no variable; a reference is escaped";
  EXPECT_THAT(MakePodParams(config, kTrust),
              ElementsAre(Pair("HTTP_PROXY", SizeIs(21)), Pair("NO_PROXY", "a,.b"), Pair("digest", SizeIs(64)),
                          Pair("trust-config-map", "user-ca"), Pair("trust-key", "all.pem")));
  EXPECT_THAT(MakePodParams(egress::EgressConfig(), std::nullopt), ElementsAre(Pair("digest", SizeIs(64))));
}

TEST(PodParams, TheDigestIsAnotherWhenAPodWouldBeAnother) {
  const std::string digest = Digest(Config());
  EXPECT_EQ(Digest(Config()), digest);
  EXPECT_NE(Digest(Config("http://p:2")), digest);
  EXPECT_NE(Digest(Config(), kTrust), digest);
  EXPECT_EQ(Digest(Config("http://p:1", {"aa"})), digest) << "pods that don't trust a bundle don't read certificates";
  const std::string trusting = Digest(Config("http://p:1", {"aa", "bb"}), kTrust);
  EXPECT_EQ(Digest(Config("http://p:1", {"bb", "aa", "bb"}), kTrust), trusting) << "the same certificates";
  EXPECT_NE(Digest(Config("http://p:1", {"aa"}), kTrust), trusting);
  EXPECT_NE(Digest(Config("http://p:1", {"aa", "bb"}), PodTrust{.config_map = "user-ca", .key = "x"}), trusting);
}

// A pod shows its digest: whoever reads it must not be able to try passwords fast.
TEST(PodParams, TheDigestConfirmsAPasswordSlowly) {
  const auto text = [](std::initializer_list<std::string> parts) {
    std::string out;
    for (const std::string& part : parts) out += part + std::string(1, '\0');
    return out;
  };
  const std::string url = "http://u:c4nary@p:1";
  const std::string shown = text({"HTTP_PROXY", egress::RedactUrl(url), "NO_PROXY", "a,.b"});
  ASSERT_EQ(shown.find("c4nary"), std::string::npos);
  const std::string slow = egress::SlowDigest(text({url}), ToHex(Sha256(shown)));
  EXPECT_TRUE(egress::IsCredentialDigest(slow));
  EXPECT_EQ(Digest(Config(url)), ToHex(Sha256(shown + text({slow}))));
  EXPECT_NE(Digest(Config("http://u:other@p:1")), Digest(Config(url)));
  EXPECT_NE(Digest(Config("http://p:1/?token=a")), Digest(Config("http://p:1/?token=b"))) << "all that is not shown";
}

// A controller renews the values, and not what a person has written beside them.
TEST(PodParams, RenewedOnesKeepWhatPodsTrust) {
  egress::EgressConfig config;
  config.http_proxy = Secret("http://p.example.test:3128");
  const PodTrust trust{"user-ca", "all.pem"};
  const auto renewed =
      Must(RenewPodParams({{"trust-config-map", "user-ca"}, {"trust-key", "all.pem"}, {"other", "x"}}, config, "m"));
  EXPECT_EQ(renewed, MakePodParams(config, trust));
  const auto by_default = Must(RenewPodParams({{"trust-config-map", "user-ca"}}, config, "m"));
  EXPECT_EQ(by_default.at("trust-key"), "ca-bundle.crt") << "without it the policy would leave the pod alone";
  EXPECT_EQ(RenewPodParams({}, config, "m"), MakePodParams(config, std::nullopt));
  EXPECT_EQ(ErrorIn(RenewPodParams({{"trust-config-map", "A b"}}, config, "m")).code, Code::kInvalidConfig);
}

TEST(PodParams, ASourceWithoutAStatementTakesNoValueAway) {
  const PodParams present = {{"HTTP_PROXY", "http://p.example.test:3128"}, {"digest", "d"}};
  egress::EgressConfig config;
  EXPECT_EQ(ErrorIn(RenewPodParams(present, config, "m")).code, Code::kEmpty);
  config.proxy_file.present = true;  // an empty file says that there is none
  const auto renewed = Must(RenewPodParams(present, config, "m"));
  EXPECT_FALSE(renewed.contains("HTTP_PROXY"));
  EXPECT_TRUE(RenewPodParams({}, egress::EgressConfig(), "m"));
}

// As `bake` refuses them: programs in pods would go around the proxy without an error.
TEST(PodParams, AProxyThatClientsWouldGoAroundIsNotRenewed) {
  for (const char* url : {"http://h:", "http://h:port", "http://", "http://h:99999", "http://u:p%0a@h:1",
                          "http://u:p%zz@h:1", "htp://h:1", "http://h:1/a:b"}) {
    for (const bool https : {false, true}) {
      egress::EgressConfig config;
      (https ? config.https_proxy : config.http_proxy) = Secret(url);
      const auto refused = RenewPodParams({{"HTTP_PROXY", "http://p.example.test:3128"}}, config, "m");
      ASSERT_FALSE(refused) << url;
      EXPECT_EQ(refused.error().code, Code::kFailOpen) << url;
      EXPECT_THAT(refused.error().message, testing::HasSubstr("nothing was written"));
      EXPECT_THAT(refused.error().where, testing::HasSubstr(https ? "HTTPS_PROXY" : "HTTP_PROXY"));
    }
  }
}

TEST(PodParams, APasswordInAnyOfThemIsNamed) {
  const auto told = [](const PodParams& params) {
    Findings findings;
    ReviewPodParams(params, "the map", findings);
    return findings.size() == 1 && findings.front().code == "pod-policy-secret" && findings.front().where == "the map";
  };
  EXPECT_TRUE(told({{"HTTP_PROXY", "http://user:word@p.example.test:3128"}}));
  EXPECT_TRUE(told({{"HTTPS_PROXY", "http://user:word@p.example.test:3128"}}));
  EXPECT_TRUE(told({{"NO_PROXY", "a.test,http://user:word@b.test"}}));
  EXPECT_FALSE(told({{"HTTP_PROXY", "http://p.example.test:3128"}, {"NO_PROXY", "a.test"}, {"digest", "x@y:z"}}));
}

}  // namespace
}  // namespace prov::publish
