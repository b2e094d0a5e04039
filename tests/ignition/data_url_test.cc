#include "ignition/data_url.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

using namespace std::string_literals;

TEST(DecodeDataUrl, AcceptsTheGrammar) {
  const std::pair<std::string, std::string> rows[] = {
      {"data:,", ""},
      {"data:,x", "x"},
      {"data:,a+b", "a+b"},
      {"data:,p%2540ss", "p%40ss"},  // decoded exactly once
      {"data:,%25%32%35", "%25"},
      {"data:,%c3%A9", "\xC3\xA9"},
      {"data:,%00%ff", "\0\xff"s},
      {"data:,a?b&c'd,e;f:g@h=i/j", "a?b&c'd,e;f:g@h=i/j"},
      {"data:,$!*()~-_.", "$!*()~-_."},
      {"data:;charset=utf-8,x", "x"},
      {"data:;charset=%55TF-8,x", "x"},
      {"data:text/plain,x", "x"},
      {"data:text/plain;charset=utf-8;base64,aGk=", "hi"},
      {"data:text/,x", "x"},
      {"data:textual/plain,x", "x"},
      {"data:image/png;base64,", ""},
      {"data:audio/a,x", "x"},
      {"data:video/a,x", "x"},
      {"data:application/octet-stream;base64,/+8=", "\xFF\xEF"},
      {"data:application/x-gzip;base64,AA==", "\0"s},
      {"data:message/rfc822,x", "x"},
      {"data:multipart/mixed,x", "x"},
      {"data:x-foo/bar,x", "x"},
      {"data:X-foo/bar,x", "x"},
      {"data:x-/,x", "x"},
      {"data:;base64,aGk=", "hi"},
      {"data:;base64,aGl=", "hi"},  // non-zero trailing bits
      {"data:;base64,aGlq", "hij"},
      {"data:;base64=1,x", "x"},  // a parameter that happens to have this name
      {"data:;a=b;c=d;base64,aGk=", "hi"},
      {R"(data:;a="b,c;d",x)", "x"},
      {R"(data:;a="",x)", "x"},
      {R"(data:;a="\"\\\n\x41\101\u00e9\U0001F600\a\b\f\r\t\v",x)", "x"},
      {"data:text/plain;a={b}|^`,x", "x"},
  };
  for (const auto& [url, expected] : rows) {
    const auto bytes = DecodeDataUrl(url, kPlenty, "w");
    ASSERT_TRUE(bytes) << url << ": " << bytes.error().message;
    EXPECT_EQ(*bytes, expected) << url;
  }
}

TEST(DecodeDataUrl, RefusesTheRestWithThePlace) {
  const struct {
    std::string url;
    std::string_view says;
  } rows[] = {
      {"", "byte 0: missing data prefix"},
      {"DATA:,x", "byte 0: missing data prefix"},
      {"dat", "missing data prefix"},
      {" data:,x", "missing data prefix"},
      {"data:", "byte 5: missing comma"},
      {"data:x", "slash is missing"},
      {"data:text/plain", "missing comma"},
      {"data:text/plain;", "byte 16: a parameter without a name"},
      {"data:text/plain;,x", "a parameter without a name"},
      {"data:;,x", "a parameter without a name"},
      {"data:;=b,x", "a parameter without a name"},
      {"data:;a", "missing comma"},
      {"data:;a,x", "expected \"base64\""},
      {"data:;BASE64,aGk=", "expected \"base64\""},
      {"data:;a=,x", "a parameter without a value"},
      {"data:;a=", "a parameter without a value"},
      {"data:;a=b", "missing comma"},
      {"data:;a=b c,x", "expected a semicolon or a comma"},
      {"data:;a b=c,x", "invalid character in a parameter"},
      {"data:;a=%4,x", "invalid percent escape in a parameter"},
      {"data:;a=%zz,x", "byte 8: invalid percent escape in a parameter"},
      {"data:;a=%,x", "invalid percent escape in a parameter"},
      {R"(data:;a="b,x)", "unclosed quoted parameter"},
      {R"(data:;a="b"c,x)", "expected a semicolon or a comma"},
      {R"(data:;a="\q",x)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\x4",x)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\400",x)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\08x",x)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\u12",x)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\ud800",x)", "invalid escape in a quoted parameter"},
      {R"(data:;a="\U00110000",x)", "invalid escape in a quoted parameter"},
      {"data:;a=\"\xC3\xA9\",x", "invalid character in a quoted parameter"},
      {"data:;a=\"\n\",x", "control character"},
      {"data:base64,x", "slash is missing"},
      {"data:font/woff,x", "byte 5: invalid media type"},
      {"data:xfoo/bar,x", "invalid media type"},
      {"data:Text/plain,x", "invalid media type"},
      {"data:/plain,x", "invalid media type"},
      {"data:te xt/plain,x", "slash is missing"},
      {"data:text/pl ain,x", "invalid character in the media subtype"},
      {"data:text/pl/ain,x", "invalid character in the media subtype"},
      {"data:text/pl\xC3\xA9in,x", "invalid character in the media subtype"},
      {"data:,a b", "byte 7: invalid data character"},
      {"data:,a\tb", "invalid data character"},
      {"data:,a\x7F", "invalid data character"},
      {"data:,a\0b"s, "invalid data character"},
      {"data:,\xC3\xA9", "invalid data character"},
      {"data:,%", "byte 6: unexpected end of a percent escape"},
      {"data:,a%4", "unexpected end of a percent escape"},
      {"data:,%4g", "needs two hex digits"},
      {"data:,%%41", "needs two hex digits"},
      {"data:;base64,aGk%3D", "byte 16: illegal base64"},
      {"data:;base64,a-_k", "illegal base64"},
      {"data:;base64,aGk", "cut short"},
      {"data:;base64,a", "cut short"},
      {"data:;base64,aGk=aGk=", "illegal base64"},
      {"data:;base64,aG\nk=", "illegal base64"},
      {"data:;base64,====", "illegal base64"},
      {"data:;base64,aGk=\n", "illegal base64"},
      {"data:;base64 ,aGk=", "invalid character in a parameter"},
      {"data:;base64;a=b,aGk=", "invalid character in a parameter"},  // base64 must be last
  };
  for (const auto& row : rows) {
    const auto bytes = DecodeDataUrl(row.url, kPlenty, "$.x");
    ASSERT_FALSE(bytes) << row.url;
    EXPECT_EQ(bytes.error().code, Code::kDataUrl) << row.url;
    EXPECT_NE(bytes.error().message.find(row.says), std::string::npos) << row.url << " says: " << bytes.error().message;
    EXPECT_EQ(bytes.error().where, "$.x");
  }
  for (const char c : "<>#\"{}|\\^[]`"s) {
    EXPECT_FALSE(DecodeDataUrl("data:,"s + c, kPlenty, "w")) << c;
  }
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

TEST(DecodeDataUrl, ReadsBackWhatWasEncoded) {
  constexpr unsigned kSeed = 20260115;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int round = 0; round < 500; ++round) {
    const std::string bytes = RandomBytes(random, random() % 300);
    EXPECT_EQ(DecodeDataUrl(PlainUrl(bytes), bytes.size(), "w"), bytes);
    EXPECT_EQ(DecodeDataUrl(Base64Url(bytes), bytes.size(), "w"), bytes);
  }
}

TEST(DecodeDataUrl, SurvivesDamage) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::string good = R"(data:text/plain;charset=utf-8;a="b\x41";base64,aGVsbG8gd29ybGQ=)";
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string url = good.substr(0, random() % (good.size() + 1));
    if (!url.empty()) url[random() % url.size()] = static_cast<char>(static_cast<unsigned char>(random() & 0xFFU));
    const auto bytes = DecodeDataUrl(url, kPlenty, "w");
    if (bytes) continue;
    ++refused;
    EXPECT_EQ(bytes.error().code, Code::kDataUrl);
  }
  EXPECT_GT(refused, 2500);
}

}  // namespace
}  // namespace prov::ignition
