#include "provisioner/egress/settings_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/augment.h"
#include "tests/support/sample.h"

namespace prov::egress {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

EgressConfig Sample() {
  EgressConfig out = testing_support::SampleConfig();
  out.proxy_file.present = out.trust_file.present = true;
  out.http_proxy = Secret("http://user:c4nary@proxy.example.com:3128");
  out.https_proxy = Secret("http://user:c4nary@proxy.example.com:3128");
  out.no_proxy = ".svc,10.0.0.0/8,example.com";
  out.certificates = testing_support::SampleCertificates();
  return out;
}

EgressConfig SampleWith(const std::function<void(EgressConfig&)>& change) {
  EgressConfig out = Sample();
  change(out);
  return out;
}

// What the page on the format says, byte by byte.
TEST(SettingsDigest, IsOfTheDocumentedText) {
  EgressConfig config;
  EXPECT_EQ(SettingsDigest(config), ToHex(Sha256("provisioner settings 1\n")));
  config.proxy_file.present = config.trust_file.present = true;
  config.http_proxy = Secret("http://u:p@PROXY.example.com:3128/");
  config.no_proxy = "Example.com";
  config.certificates = {testing_support::SampleCertificates()[0]};
  EXPECT_EQ(SettingsDigest(config), ToHex(Sha256("provisioner settings 1\n"
                                                 "proxy\n"
                                                 "HTTP_PROXY http://proxy.example.com:3128\n"
                                                 "NO_PROXY .example.com\n"
                                                 "NO_PROXY 127.0.0.1\n"
                                                 "NO_PROXY ::1\n"
                                                 "NO_PROXY [::1]\n"
                                                 "NO_PROXY example.com\n"
                                                 "trust\n"
                                                 "certificate " +
                                                 config.certificates[0].sha256 + "\n")));
}

TEST(SettingsDigest, IsTheSameForTheSameMeaning) {
  const std::string wanted = SettingsDigest(Sample());
  const std::vector<std::pair<const char*, std::function<void(EgressConfig&)>>> rows = {
      {"another password", [](auto& c) { c.http_proxy = Secret("http://user:other@proxy.example.com:3128"); }},
      {"another user", [](auto& c) { c.http_proxy = Secret("http://other:c4nary@proxy.example.com:3128"); }},
      {"no credentials", [](auto& c) { c.http_proxy = Secret("http://proxy.example.com:3128"); }},
      {"another spelling", [](auto& c) { c.http_proxy = Secret("HTTP://user:c4nary@Proxy.Example.com:3128/"); }},
      {"order of NO_PROXY", [](auto& c) { c.no_proxy = " Example.com , 10.0.0.0/8,.svc,.svc,"; }},
      {"order of certificates", [](auto& c) { std::swap(c.certificates[0], c.certificates[2]); }},
      {"a duplicate", [](auto& c) { c.certificates.push_back(c.certificates[1]); }},
      {"the file's name", [](auto& c) { c.proxy_file.path = "elsewhere"; }},
      {"the source's name", [](auto& c) { c.source.name = "rendered-worker-2"; }},
      {"--augment", [](auto& c) { ASSERT_TRUE(AugmentNoProxy(c)); }},
  };
  for (const auto& [what, change] : rows) EXPECT_EQ(SettingsDigest(SampleWith(change)), wanted) << what;
}

TEST(SettingsDigest, DiffersForAnotherMeaning) {
  const std::vector<std::pair<const char*, std::function<void(EgressConfig&)>>> rows = {
      {"as it is", [](auto&) {}},
      {"host", [](auto& c) { c.http_proxy = Secret("http://user:c4nary@proxy2.example.com:3128"); }},
      {"port", [](auto& c) { c.http_proxy = Secret("http://user:c4nary@proxy.example.com:3129"); }},
      {"empty port", [](auto& c) { c.http_proxy = Secret("http://user:c4nary@proxy.example.com:"); }},
      {"scheme", [](auto& c) { c.https_proxy = Secret("https://user:c4nary@proxy.example.com:3128"); }},
      {"one proxy", [](auto& c) { c.https_proxy.reset(); }},
      {"no proxy", [](auto& c) { c.http_proxy = c.https_proxy = Secret(""); }},
      {"an entry less", [](auto& c) { c.no_proxy = ".svc,10.0.0.0/8"; }},
      {"no NO_PROXY", [](auto& c) { c.no_proxy.reset(); }},
      {"NO_PROXY that is none", [](auto& c) { c.no_proxy = "a\nb"; }},
      {"a certificate less", [](auto& c) { c.certificates.pop_back(); }},
      {"no certificates", [](auto& c) { c.certificates.clear(); }},
      {"no statement about certificates",
       [](auto& c) {
         c.certificates.clear();
         c.trust_file.present = false;
       }},
      {"no statement about the proxy", [](auto& c) { c.proxy_file.present = false; }},
  };
  std::map<std::string, std::string> seen;
  for (const auto& [what, change] : rows) {
    const auto [other, is_new] = seen.try_emplace(SettingsDigest(SampleWith(change)), what);
    EXPECT_TRUE(is_new) << what << " is as " << other->second;
  }
}

TEST(CredentialDigest, ChangesWithEachPartOfTheCredentials) {
  const auto of = [](const char* url) {
    const EgressConfig config = SampleWith([&](EgressConfig& c) { c.http_proxy = c.https_proxy = Secret(url); });
    return CredentialDigest(config, SettingsDigest(config));
  };
  const auto first = of("http://user:c4nary@proxy.example.com:3128");
  ASSERT_TRUE(first);
  EXPECT_THAT(*first, StartsWith("pbkdf2-sha256:600000:"));
  EXPECT_EQ(first->size(), std::string("pbkdf2-sha256:600000:").size() + 64);
  EXPECT_THAT(*first, Not(HasSubstr("c4nary")));
  EXPECT_EQ(of("http://user:c4nary@proxy.example.com:3128/"), first);
  EXPECT_NE(of("http://user:c4nary2@proxy.example.com:3128"), first);
  EXPECT_NE(of("http://userc:4nary@proxy.example.com:3128"), first);
  EXPECT_NE(of("http://user:c4nary@proxy2.example.com:3128"), first) << "the settings are its salt";
  EXPECT_EQ(of("http://proxy.example.com:3128"), std::nullopt);
  EXPECT_EQ(of(""), std::nullopt);
  EXPECT_EQ(CredentialDigest(EgressConfig(), "salt"), std::nullopt);
  EXPECT_TRUE(IsCredentialDigest(*first));
  for (const char* other : {"", "x", "pbkdf2-sha256:600000:", "pbkdf2-sha256:1:00"})
    EXPECT_FALSE(IsCredentialDigest(other)) << other;
}

TEST(CredentialDigest, TellsOneProxyFromTheOther) {
  const auto one = CredentialDigest(SampleWith([](EgressConfig& c) { c.http_proxy.reset(); }), "salt");
  EXPECT_TRUE(one);
  EXPECT_NE(one, CredentialDigest(Sample(), "salt"));
}

}  // namespace
}  // namespace prov::egress
