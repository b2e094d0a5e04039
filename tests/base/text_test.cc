#include "provisioner/base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace prov {
namespace {

using namespace std::string_literals;

TEST(Text, HostOfAUrl) {
  EXPECT_EQ(UrlHost("https://Quay.io:8443/v2/?a=b"), "Quay.io:8443");
  EXPECT_EQ(UrlHost("http://h?a=http://other/"), "h");
  EXPECT_EQ(UrlHost("http://user@h#x/y"), "user@h");
  EXPECT_EQ(UrlHost("quay.io/a"), "");
}

TEST(Text, FindsTheFirstMalformedByte) {
  EXPECT_TRUE(IsUtf8("plain ascii that is longer than eight bytes"));
  EXPECT_TRUE(IsUtf8("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80"));
  EXPECT_EQ(FindInvalidUtf8("12345678\xff"), 8U);
  EXPECT_EQ(FindInvalidUtf8("a\xc0\x80"), 1U) << "overlong NUL";
  EXPECT_EQ(FindInvalidUtf8("a\xed\xa0\x80"), 1U) << "surrogate";
  EXPECT_EQ(FindInvalidUtf8("a\xf4\x90\x80\x80"), 1U) << "above U+10FFFF";
  EXPECT_EQ(FindInvalidUtf8("abc\xe6\x97"), 3U) << "cut short";
}

TEST(Text, LabelOfDns) {
  for (const char* const name : {"web", "a", "kube-system", "0"}) EXPECT_TRUE(IsDnsLabel(name)) << name;
  const std::string long_name(64, 'a');
  for (const char* const name : {"", "-a", "a-", "Web", "a.b", "a=b", "a b", long_name.c_str()})
    EXPECT_FALSE(IsDnsLabel(name)) << name;
}

TEST(Text, Decimal) {
  EXPECT_EQ(ParseDecimal("65535", 65535), 65535U);
  EXPECT_EQ(ParseDecimal("007", 10), 7U);
  for (const char* const text : {"", "65536", "99999999999999999999", "-1", "+1", " 1", "1 ", "0x1"})
    EXPECT_FALSE(ParseDecimal(text, 65535)) << text;
}

TEST(Text, DecodesByTheByteOrderMark) {
  const struct {
    std::string bytes;
    std::string text;
  } rows[] = {
      {"", ""},
      {"plain", "plain"},
      {"\xEF\xBB\xBF", ""},
      {"\xEF\xBB\xBFx\xEF\xBB\xBF", "x\xEF\xBB\xBF"},
      {"\xFF\xFE", ""},
      {"\xFF\xFE" + ToUtf16Le("a\xC3\xA9\r\n"), "a\xC3\xA9\r\n"},
      {"\xFE\xFF\0a"s, "a"},
      {"\xFF", "\xFF"},
      {ToUtf16Le("no mark"), "no mark"},
      {"\0n\0o\0n\0e"s, "none"},
      {ToUtf16Le("abc"), ToUtf16Le("abc")},  // too short to tell
      {"a\0b\0c\0dx"s, "a\0b\0c\0dx"s},
      {"\0\0\0\0\0\0\0\0"s, "\0\0\0\0\0\0\0\0"s},
  };
  for (const auto& row : rows) {
    std::string text = row.bytes;
    EXPECT_TRUE(DecodeMarked(text)) << row.text;
    EXPECT_EQ(text, row.text);
  }
  for (const std::string& damaged : {"\xFF\xFE"
                                     "a"s,
                                     "\xFE\xFF\xD8\0"s, ToUtf16Le("no mark") + "x"}) {
    std::string text = damaged;
    EXPECT_FALSE(DecodeMarked(text));
    EXPECT_EQ(text, damaged);
  }
}

TEST(Text, Utf16RoundTrip) {
  EXPECT_EQ(ToUtf16Le("A\xf0\x9f\x98\x80"), "A\0\x3d\xd8\x00\xde"s);
  EXPECT_EQ(FromUtf16Le("A\0\x3d\xd8\x00\xde"s), "A\xf0\x9f\x98\x80");
  EXPECT_EQ(FromUtf16Be("\0A\xd8\x3d\xde\x00"s), "A\xf0\x9f\x98\x80");
  EXPECT_FALSE(FromUtf16Le("A"));
  EXPECT_FALSE(FromUtf16Le("\x3d\xd8"s)) << "high surrogate alone";
  EXPECT_FALSE(FromUtf16Le("\x00\xde"s)) << "low surrogate alone";
  EXPECT_FALSE(FromUtf16Le("\x3d\xd8\x41\x00"s)) << "high surrogate before a letter";
  EXPECT_EQ(ToUtf16Le("\xff"), "\xfd\xff"s);
}

TEST(Text, Hex) {
  EXPECT_EQ(ToHex("\x00\xab\xff"s), "00abff");
  EXPECT_EQ(FromHex("00aBFf"), "\x00\xab\xff"s);
  EXPECT_FALSE(FromHex("0"));
  EXPECT_FALSE(FromHex("0g"));
}

TEST(Text, PrintableShowsWhatATerminalMustNotSee) {
  EXPECT_EQ(Printable("ok \xc3\xbc"), "ok \xc3\xbc");
  EXPECT_EQ(Printable("a\x1b[31m\n\x7f"), "a\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\u{9b}");
  EXPECT_EQ(Printable("\xe2\x80\xae"), "\\u{202e}") << "right-to-left override";
  EXPECT_EQ(Printable("\xff"), "\\xff");
}

TEST(Text, ShortensBeforeACharacter) {
  const std::string_view text = "a\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80z";  // of 1, 2, 3, 4 and 1 bytes
  constexpr std::array<std::size_t, 13> kLengths = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
  for (std::size_t bytes = 0; bytes < kLengths.size(); ++bytes)
    EXPECT_EQ(Shorten(text, bytes), text.substr(0, kLengths[bytes])) << bytes;
  EXPECT_EQ(Shorten(std::string(9, '\x80'), 6).size(), 6U);  // malformed
}

TEST(Text, QuotedForPowerShell) { EXPECT_EQ(QuotedForPowerShell("it's"), "'it''s'"); }

TEST(Text, SplitTrimAndCase) {
  EXPECT_EQ(Split("a,,b", ',').size(), 3U);
  EXPECT_EQ(Split("", ',').size(), 1U);
  EXPECT_EQ(TrimBlanks(" \t a b\r\n"), "a b");
  EXPECT_EQ(TrimBlanks(" \n"), "");
  EXPECT_TRUE(EqualsIgnoreAsciiCase("HTTP_Proxy", "http_proxy"));
  EXPECT_FALSE(EqualsIgnoreAsciiCase("a", "ab"));
  EXPECT_EQ(AsciiUpper("a\xc3\xbc"), "A\xc3\xbc");
}

TEST(PrintableJson, LeavesWhatATerminalMaySee) {
  for (const std::string text :
       {"", "{\"a\": \"\\u001b ok\"}\n", "\"\xc3\xbc \xc2\xa0 \xe5\x90\x8d \xf0\x9f\x98\x80\""})
    EXPECT_EQ(PrintableJson(text), text);
}

TEST(PrintableJson, EscapesDelAndTheControlsBehindIt) {
  EXPECT_EQ(PrintableJson("[\"\x7f \xc2\x80 \xc2\x9b \xc2\x9f \xc2\xa0\"]"),
            "[\"\\u007f \\u0080 \\u009b \\u009f \xc2\xa0\"]");
}

TEST(PrintableJson, EscapesOverridesOfTheDirectionOfText) {
  EXPECT_EQ(PrintableJson("\"\xe2\x80\xae \xe2\x80\xa8 \xd8\x9c \xe2\x81\xa9 \xc3\xbc\""),
            "\"\\u202e \\u2028 \\u061c \\u2069 \xc3\xbc\"");
}

}  // namespace
}  // namespace prov
