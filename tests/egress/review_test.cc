#include "provisioner/egress/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/finding_codes.h"

namespace prov::egress {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> CodesFor(const std::optional<std::string>& http, const std::optional<std::string>& https,
                                  const std::optional<std::string>& no_proxy = std::nullopt) {
  EgressConfig config;
  config.proxy_file.path = "proxy.env";
  config.proxy_file.present = true;
  if (http) config.http_proxy = Secret(*http);
  if (https) config.https_proxy = Secret(*https);
  config.no_proxy = no_proxy;
  const auto findings = ReviewProxySettings(config);
  EXPECT_TRUE(findings);
  return findings ? testing_support::CodesOf(*findings) : std::vector<std::string>();
}

TEST(ReviewProxySettings, AProxyForOneSchemeAloneLeavesTheOtherDirect) {
  EXPECT_THAT(CodesFor("http://p:1", std::nullopt), Contains("https-direct"));
  EXPECT_THAT(CodesFor("http://p:1", ""), Contains("https-direct"));
  EXPECT_THAT(CodesFor("http://p:1", "http://p:1"), Not(Contains("https-direct")));
  EXPECT_THAT(CodesFor(std::nullopt, "http://p:1"), ElementsAre("http-direct"));
  EXPECT_THAT(CodesFor("", ""), IsEmpty());
}

TEST(ReviewProxySettings, ANoProxyWithoutAnyProxyIsReported) {
  EXPECT_THAT(CodesFor(std::nullopt, std::nullopt, "a.example"), ElementsAre("no-proxy-alone"));
  EXPECT_THAT(CodesFor("", "", "a.example"), ElementsAre("no-proxy-alone"));
  EXPECT_THAT(CodesFor("", "", ""), IsEmpty());
  EXPECT_THAT(CodesFor("http://p:1", std::nullopt, "a.example"), Not(Contains("no-proxy-alone")));
  EXPECT_THAT(CodesFor(std::nullopt, "http://p:1", "a.example"), Not(Contains("no-proxy-alone")));
  EgressConfig elsewhere;
  elsewhere.proxy_file.present = true;
  elsewhere.no_proxy = "a.example";
  elsewhere.not_read.proxy = true;
  EXPECT_THAT(testing_support::CodesOf(ReviewProxySettings(elsewhere).value()), IsEmpty());
}

}  // namespace
}  // namespace prov::egress
