#include "provisioner/publish/request_uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/json.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::publish {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string UriError(std::string_view text) {
  const auto scheme = CheckUri(text);
  return scheme ? "accepted" : scheme.error();
}

TEST(RequestUri, DecidesAsGoDoesAndInItsWords) {
  const auto golden = Must(
      ParseJson(testing_support::ReadAll(testing_support::TestsFolder() + "/golden/publish/uri.json"), JsonLimits()));
  std::size_t worded = 0;
  for (const auto& row : golden->root()["rows"].GetArray()) {
    const std::string text(JsonTextOf(row["text"]));
    const std::string error(JsonTextOf(row["error"]));
    const auto scheme = CheckUri(text);
    EXPECT_EQ(scheme.has_value(), error.empty()) << text << ": " << error << " / " << UriError(text);
    if (scheme || text.find('@') != std::string::npos || ShownUri(text) != text)
      continue;  // texts differ in what is hidden
    ++worded;
    EXPECT_EQ(scheme.error(), error);
  }
  EXPECT_GE(worded, 20U);
}

TEST(RequestUri, NoPasswordInAnyError) {
  for (const char* text : {"http://u:c4nary/x@h:1", "http://u:c4nary?x@h", "http://u:c4nary@h:port", "http://u:c4nary",
                           "http://u:c4nary w@h", "http://u:c4n%zzary@h", "http:u:c4nary@h", "u:c4nary@h",
                           "//u:c4nary@h", "http://u:1@[::1:c4nary", "http://h:1?token=c4nary:99999999",
                           "http://u:c4nary%40h:x", "http://u:c4nary@h:123456789"}) {
    EXPECT_THAT(UriError(text), Not(HasSubstr("c4n"))) << text;
    EXPECT_THAT(ShownUri(text), Not(HasSubstr("c4n"))) << text;
  }
  EXPECT_EQ(UriError("http://u:c4nary/x@h:1"), R"(parse "http://u:***@h:1": invalid port ":***" after host)");
  EXPECT_EQ(UriError("http://h:c4nary"), R"(parse "http://h:***": invalid port ":***" after host)");
  EXPECT_EQ(UriError("http://u:p@h:99999"),
            R"(failed to validate port for URL "http://u:***@h:99999": invalid port number: 99999)");
}

TEST(RequestUri, PartsOfAReference) {
  const auto api = ParseUri("https://api-int.test.example:6443", UriForm::kReference);
  ASSERT_TRUE(api);
  EXPECT_EQ(api->hostname, "api-int.test.example");
  EXPECT_EQ(api->port, "6443");
  EXPECT_EQ(ParseUri("https://[2001:db8::1]:6443/", UriForm::kReference)->hostname, "2001:db8::1");
  EXPECT_EQ(ParseUri("/only/a/path", UriForm::kReference)->hostname, "");
  EXPECT_EQ(ParseUri("api-int:6443/x", UriForm::kReference)->scheme, "api-int");
  EXPECT_FALSE(ParseUri("1:6443", UriForm::kReference));
  EXPECT_FALSE(ParseUri("//h#%zz", UriForm::kReference)) << "a bad escape in a fragment";
}

TEST(RequestUri, QuotesAsGoDoes) {
  EXPECT_EQ(GoQuote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(GoQuote("\n\t\x01\x7f"), R"("\n\t\x01\x7f")");
  EXPECT_EQ(GoQuote("日©ñ"), "\"日©ñ\"");
  EXPECT_EQ(GoQuote("\u202e\u200b\u0085\ufeff"), R"("\u202e\u200b\u0085\ufeff")");
  EXPECT_EQ(GoQuote("\xff\xc3"), R"("\xff\xc3")");
}

}  // namespace
}  // namespace prov::publish
