#include "ignition/data_url.h"

#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

using namespace std::string_literals;

// URLs are parted by '~'.
TEST(DecodeDataUrl, AcceptsTheGrammar) {
  const std::pair<std::string, std::string> rows[] = {
      {"", "data:,~data:image/png;base64,"},
      {"x",
       "data:,x~data:;charset=utf-8,x~data:;charset=%55TF-8,x~data:text/plain,x~data:text/,x~data:textual/plain,x~"
       "data:audio/a,x~data:video/a,x~data:message/rfc822,x~data:multipart/mixed,x~data:x-foo/bar,x~data:X-foo/bar,x~"
       "data:x-/,x~data:text/plain;a={b}|^`,x"},
      {"x", R"(data:;a="b,c;d",x~data:;a="",x~data:;a="\"\\\n\x41\101\u00e9\U0001F600\a\b\f\r\t\v",x)"},
      {"x", "data:;base64=1,x"},  // a parameter that happens to have this name
      {"hi", "data:;base64,aGk=~data:text/plain;charset=utf-8;base64,aGk=~data:;a=b;c=d;base64,aGk="},
      {"hi", "data:;base64,aGl="},  // non-zero trailing bits
      {"hij", "data:;base64,aGlq"},
      {"\xFF\xEF", "data:application/octet-stream;base64,/+8="},
      {"\0"s, "data:application/x-gzip;base64,AA=="},
      {"a+b", "data:,a+b"},
      {"p%40ss", "data:,p%2540ss"},  // decoded exactly once
      {"%25", "data:,%25%32%35"},
      {"\xC3\xA9", "data:,%c3%A9"},
      {"\0\xff"s, "data:,%00%ff"},
      {"a?b&c'd,e;f:g@h=i/j", "data:,a?b&c'd,e;f:g@h=i/j"},
  };
  for (const auto& [expected, urls] : rows) {
    for (const std::string_view url : Split(urls, '~')) {
      const auto bytes = DecodeDataUrl(url, kPlenty, "w");
      ASSERT_TRUE(bytes) << url << ": " << bytes.error().message;
      EXPECT_EQ(*bytes, expected) << url;
    }
  }
  EXPECT_EQ(DecodeDataUrl("data:,$!*()~-_.", kPlenty, "w"), "$!*()~-_.");
}

TEST(DecodeDataUrl, RefusesTheRestWithThePlace) {
  const std::pair<std::string_view, std::string> rows[] = {
      {"byte 0: missing data prefix", "~DATA:,x"},
      {"missing data prefix", "dat~ data:,x"},
      {"byte 5: missing comma", "data:"},
      {"missing comma", "data:text/plain~data:;a~data:;a=b"},
      {"slash is missing", "data:x~data:base64,x~data:te xt/plain,x"},
      {"byte 16: a parameter without a name", "data:text/plain;"},
      {"a parameter without a name", "data:text/plain;,x~data:;,x~data:;=b,x"},
      {"expected \"base64\"", "data:;a,x~data:;BASE64,aGk="},
      {"a parameter without a value", "data:;a=,x~data:;a="},
      {"expected a semicolon or a comma", "data:;a=b c,x~data:;a=\"b\"c,x"},
      {"invalid character in a parameter", "data:;a b=c,x~data:;base64 ,aGk="},
      {"invalid character in a parameter", "data:;base64;a=b,aGk="},  // base64 must be last
      {"byte 8: invalid percent escape in a parameter", "data:;a=%zz,x"},
      {"invalid percent escape in a parameter", "data:;a=%4,x~data:;a=%,x"},
      {"unclosed quoted parameter", "data:;a=\"b,x"},
      {"invalid character in a quoted parameter", "data:;a=\"\xC3\xA9\",x"},
      {"control character", "data:;a=\"\n\",x"},
      {"byte 5: invalid media type", "data:font/woff,x"},
      {"invalid media type", "data:xfoo/bar,x~data:Text/plain,x~data:/plain,x"},
      {"invalid character in the media subtype", "data:text/pl ain,x~data:text/pl/ain,x~data:text/pl\xC3\xA9in,x"},
      {"byte 7: invalid data character", "data:,a b"},
      {"invalid data character", "data:,a\tb~data:,a\x7F~data:,a\0b~data:,\xC3\xA9"s},
      {"byte 6: unexpected end of a percent escape", "data:,%"},
      {"unexpected end of a percent escape", "data:,a%4"},
      {"needs two hex digits", "data:,%4g~data:,%%41"},
      {"byte 16: illegal base64", "data:;base64,aGk%3D"},
      {"illegal base64",
       "data:;base64,a-_k~data:;base64,aGk=aGk=~data:;base64,aG\nk=~data:;base64,====~data:;base64,aGk=\n"},
      {"cut short", "data:;base64,aGk~data:;base64,a"},
  };
  for (const auto& [says, urls] : rows) {
    for (const std::string_view url : Split(urls, '~')) {
      const auto bytes = DecodeDataUrl(url, kPlenty, "$.x");
      ASSERT_FALSE(bytes) << url;
      EXPECT_EQ(bytes.error().code, Code::kDataUrl) << url;
      EXPECT_NE(bytes.error().message.find(says), std::string::npos) << url << " says: " << bytes.error().message;
      EXPECT_EQ(bytes.error().where, "$.x");
    }
  }
  for (const char c : "<>#\"{}|\\^[]`"s) EXPECT_FALSE(DecodeDataUrl("data:,"s + c, kPlenty, "w")) << c;
}

TEST(DecodeDataUrl, KeepsTheLimit) {
  for (std::size_t size = 0; size < 12; ++size) {
    const std::string bytes(size, 'a');
    for (const std::string& url : {PlainUrl(bytes), Base64Url(bytes), "data:," + bytes}) {
      EXPECT_EQ(DecodeDataUrl(url, size, "w"), bytes) << url;
      EXPECT_EQ(DecodeDataUrl(url, size + 1, "w"), bytes) << url;
      if (size == 0) continue;
      const auto over = DecodeDataUrl(url, size - 1, "w");
      ASSERT_FALSE(over) << url;
      EXPECT_EQ(over.error().code, Code::kTooLarge) << url;
    }
  }
}

}  // namespace
}  // namespace prov::ignition
