#include "provisioner/pki/pem_text.h"

#include <gtest/gtest.h>

#include <string>

#include "provisioner/base/text.h"
#include "tests/pki/bundle_samples.h"

namespace prov::pki {
namespace {

using namespace std::string_literals;

const std::string kText = "# a comment\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

TEST(PemText, PlainTextIsNotCopied) {
  for (const std::string& text :
       {kText, ""s, "x"s, "\xEF\xBB\xBF"s + kText, "Soci\xE9t\xE9 in Latin-1, longer than the sample "s + kText}) {
    const auto decoded = DecodePemText(text);
    ASSERT_TRUE(decoded);
    EXPECT_FALSE(decoded->has_value());
  }
}

TEST(PemText, Utf16) {
  const struct {
    std::string bytes;
    std::string text;
  } cases[] = {
      {"\xFF\xFE"s + ToUtf16Le(kText), "\xEF\xBB\xBF"s + kText},
      {"\xFE\xFF"s + Utf16Be(kText), "\xEF\xBB\xBF"s + kText},
      {ToUtf16Le(kText), kText},
      {Utf16Be(kText), kText},
      {"\xFF\xFE"s, "\xEF\xBB\xBF"},
  };
  for (const auto& c : cases) {
    const auto decoded = DecodePemText(c.bytes);
    ASSERT_TRUE(decoded) << decoded.error();
    // The converters may keep the byte order mark: it is a blank.
    ASSERT_TRUE(decoded->has_value());
    EXPECT_EQ(**decoded, c.text);
  }
}

TEST(PemText, DamagedEncodings) {
  const struct {
    std::string bytes;
    const char* message;
  } cases[] = {
      {"\xFF\xFE"s + ToUtf16Le(kText) + "x", "UTF-16 and damaged"},
      {"\xFF\xFE\x00\xD8"s, "UTF-16 and damaged"},
      {kText + ToUtf16Le(kText), "NUL"},
      {kText + "\0\0\0\0"s, "NUL"},
      {"\xFF\xFE\x00\x00-\x00\x00\x00"s, "NUL"},
      {"a\0b"s, "NUL"},
  };
  for (const auto& c : cases) {
    const auto decoded = DecodePemText(c.bytes);
    ASSERT_FALSE(decoded) << c.message;
    EXPECT_NE(decoded.error().find(c.message), std::string::npos) << decoded.error();
  }
}

TEST(PemText, EscapesOfPastedStrings) {
  const struct {
    std::string bytes;
    std::string text;
  } cases[] = {
      {R"("-----BEGIN X-----\nAB\/C\n")", "\"-----BEGIN X-----\vAB/C\v\""},
      {R"(-----BEGIN X-----\r\nA\tB)", "-----BEGIN X-----\v\vA\tB"},
      {R"(-----BEGIN X-----\\nA)", "-----BEGIN X-----\vA"},
      {R"(-----BEGIN X-----\u000aA\u002BB\u002f\u003D\u000D)", "-----BEGIN X-----\vA+B/=\v"},
      {R"(-----BEGIN X-----\n\u00e9\u00zz\u00)", "-----BEGIN X-----\v\\u00e9\\u00zz\\u00"},
      {"-----BEGIN X-----\\\n\\ A\\\"\\q\\", "-----BEGIN X-----\n A\"\\q\\"},
  };
  for (const auto& c : cases) {
    const auto decoded = DecodePemText(c.bytes);
    ASSERT_TRUE(decoded);
    ASSERT_TRUE(decoded->has_value()) << c.bytes;
    EXPECT_EQ(**decoded, c.text);
  }
  const std::string elsewhere = "C:\\new\\table\n" + kText;
  EXPECT_FALSE(DecodePemText(elsewhere)->has_value()) << "backslashes that don't stand behind a marker mean themselves";
}

TEST(PemText, Blanks) {
  EXPECT_TRUE(IsBlankText(""));
  EXPECT_TRUE(IsBlankText(" \t\r\n\v\f"));
  EXPECT_TRUE(IsBlankText("\xEF\xBB\xBF\n\xC2\xA0\xE2\x80\x8B\xE3\x80\x80"));
  EXPECT_FALSE(IsBlankText("\n."));
  EXPECT_FALSE(IsBlankText("\xC3\xA9"));
  EXPECT_TRUE(IsCommentText(""));
  EXPECT_TRUE(IsCommentText("# one\n\n  # two\r#three"));
  EXPECT_FALSE(IsCommentText("# one\ntwo"));
  EXPECT_EQ(BlankLength(""), 0U);
  EXPECT_EQ(BlankLength("\xC2"), 0U);
  EXPECT_EQ(BlankLength("\xC2\xA0"), 2U);
}

TEST(PemText, TellsWhatATextLooksLike) {
  const struct {
    std::string text;
    std::string word;  // empty: nothing can be told
  } cases[] = {
      {"\xEF\xBB\xBF <!DOCTYPE html>", "HTML"},
      {"<?xml version", "XML"},
      {" {\"error\":\"x\"}", "JSON"},
      {"[1]", "JSON"},
      {"apiVersion: v1", "YAML"},
      {"---\na: b", "YAML"},
      {"LS0tLS1CRUdJTiBD", "decode it once"},
      {"MIIDdzCCAl", "BEGIN and END"},
      {"HTTP/1.1 502 Bad Gateway", "HTTP response"},
      {"ssh-rsa AAAA", "SSH"},
      {"\x1F\x8B\x08", "gzip"},
      {"PK\x03\x04", "ZIP"},
      {"\xFE\xED\xFE\xED", "keystore"},
      {"hello", ""},
      {"", ""},
  };
  for (const auto& c : cases) {
    const std::string seen = DescribeText(c.text);
    EXPECT_NE(seen.find(c.word), std::string::npos) << seen;
    EXPECT_EQ(seen.empty(), c.word.empty()) << seen;
  }
}

TEST(PemText, TellsWhatDerIs) {
  const std::string rest(20, 'x');
  EXPECT_NE(DescribeDer("\x30\x82\x05\x00\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x07\x02"s + rest).find("PKCS#7"),
            std::string::npos);
  EXPECT_NE(DescribeDer("\x30\x82\x05\x00\x02\x01\x03\x30"s + rest).find("PKCS#12"), std::string::npos);
  EXPECT_NE(DescribeDer("\x30\x82\x05\x00\x02\x01\x00"s + rest).find("private key"), std::string::npos);
  EXPECT_NE(DescribeDer("\x30\x77\x02\x01\x01\x04"s + rest).find("private key"), std::string::npos);
  EXPECT_EQ(DescribeDer("\x30\x82\x05\x00\x30"s + rest), "");
  EXPECT_EQ(DescribeDer("\x31\x82\x05\x00\x02\x01\x03\x30"s + rest), "");
  EXPECT_EQ(DescribeDer("\x30\x82"), "");
}

TEST(PemText, Lines) {
  const std::string text = "a\nb\r\nc\rd\v\ne";
  LineCounter lines(text);
  EXPECT_EQ(lines.LineAt(0), 1U);
  EXPECT_EQ(lines.LineAt(text.find('b')), 2U);
  EXPECT_EQ(lines.LineAt(text.find('c')), 3U);
  EXPECT_EQ(lines.LineAt(text.find('d')), 4U);
  EXPECT_EQ(lines.LineAt(text.find('e')), 5U) << "a vertical tab is an escaped line end and doesn't count";
  EXPECT_EQ(lines.LineAt(1000), 5U);
}

}  // namespace
}  // namespace prov::pki
