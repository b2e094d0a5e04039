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
using testing::Not;

std::vector<std::string> CodesFor(const std::optional<std::string>& http, const std::optional<std::string>& https) {
  EgressConfig config;
  config.proxy_file.path = "proxy.env";
  config.proxy_file.present = true;
  if (http) config.http_proxy = Secret(*http);
  if (https) config.https_proxy = Secret(*https);
  const auto findings = ReviewProxySettings(config);
  EXPECT_TRUE(findings);
  return findings ? testing_support::CodesOf(*findings) : std::vector<std::string>();
}

TEST(ReviewProxySettings, AProxyForHttpAloneLeavesHttpsDirect) {
  EXPECT_THAT(CodesFor("http://p:1", std::nullopt), Contains("https-direct"));
  EXPECT_THAT(CodesFor("http://p:1", ""), Contains("https-direct"));
  EXPECT_THAT(CodesFor("http://p:1", "http://p:1"), Not(Contains("https-direct")));
  EXPECT_THAT(CodesFor(std::nullopt, "http://p:1"), Not(Contains("https-direct")));
  EXPECT_THAT(CodesFor("", ""), Not(Contains("https-direct")));
}

}  // namespace
}  // namespace prov::egress
