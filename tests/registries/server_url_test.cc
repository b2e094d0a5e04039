#include "provisioner/registries/server_url.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace prov::registries {
namespace {

TEST(ServerUrl, IsReadAsGoReadsIt) {
  const std::pair<std::string, ServerUrl> kCases[] = {
      {"", {}},
      {"mirror.example", {"https", "mirror.example", ""}},
      {"mirror.example:5000/a", {"https", "mirror.example:5000", "/a"}},
      {"HTTPS://mirror.example", {"https", "HTTPS:", "//mirror.example"}},
      {"http://mirror.example/", {"http", "mirror.example", "/"}},
      {"https://user:pw@mirror.example/a?b#c", {"https", "mirror.example", "/a"}},
      {"https://[::1]:5000/a", {"https", "[::1]:5000", "/a"}},
      {"https://m/a%2Fb", {"https", "m", "/a/b"}},
      {"https:///v2", {"https", "", "/v2"}},
      {"httpd.example:5000/a", {}},
      {"httpd.example", {}},
      {"?x", {}},
      {"https://m:", {"https", "m:", ""}},
  };
  for (const auto& [text, want] : kCases) {
    const auto read = ParseServerUrl(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, want) << text;
  }
  for (const char* text :
       {"https://m:x", "https://a b", "https://m/%zz", "https://m/%4", "https://[::1", "https://m\x01", "https://%41"})
    EXPECT_FALSE(ParseServerUrl(text)) << text;
}

TEST(ServerUrl, ApiPathIsCleanedAndEndsInV2) {
  const auto path = [](const char* url, bool override_path) { return ApiPath(*ParseServerUrl(url), override_path); };
  EXPECT_EQ(path("https://m", false), "/v2");
  EXPECT_EQ(path("https://m", true), "");
  EXPECT_EQ(path("https://m/v2", false), "/v2");
  EXPECT_EQ(path("https://m/v2/", false), "/v2");
  EXPECT_EQ(path("https://m/a//./b/../c", false), "/a/c/v2");
  EXPECT_EQ(path("https://m/v2/quay", true), "/v2/quay");
  EXPECT_EQ(path("https://m/../..", true), "");
}

}  // namespace
}  // namespace prov::registries
