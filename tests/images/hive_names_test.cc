#include "images/registry/hive_names.h"

#include <gtest/gtest.h>

namespace prov::images::regf {
namespace {

using namespace std::string_literals;

std::uint32_t HashOf(std::string_view utf8) { return LookupHash(Upcase(NameFromUtf8(utf8).value())); }

TEST(HiveNames, UpperCaseIsThatOfWindows) {
  struct Row {
    char16_t from;
    char16_t to;
    const char* what;
  };
  const Row rows[] = {
      {u'a', u'A', "ASCII"},         {u'z', u'Z', "ASCII"},           {u'`', u'`', "before a"},
      {u'{', u'{', "after z"},       {0xE4, 0xC4, "a diaeresis"},     {0xF7, 0xF7, "division sign"},
      {0xFF, 0x178, "y diaeresis"},  {0xDF, 0xDF, "sharp s"},         {0xB5, 0xB5, "micro sign"},
      {0x131, 0x131, "dotless i"},   {0x17F, 0x17F, "long s"},        {0x101, 0x100, "a macron"},
      {0x100, 0x100, "A macron"},    {0x138, 0x138, "kra"},           {0x1C5, 0x1C5, "title case"},
      {0x1C6, 0x1C4, "dz caron"},    {0x3B1, 0x391, "alpha"},         {0x3C2, 0x3C2, "final sigma"},
      {0x3C3, 0x3A3, "sigma"},       {0x3AC, 0x386, "alpha tonos"},   {0x44F, 0x42F, "ya"},
      {0x451, 0x401, "yo"},          {0x4CF, 0x4C0, "palochka"},      {0x561, 0x531, "Armenian"},
      {0x10D0, 0x10D0, "Mkhedruli"}, {0x2D00, 0x10A0, "Nuskhuri"},    {0x1EA1, 0x1EA0, "a dot"},
      {0x1F51, 0x1F59, "upsilon"},   {0x1F52, 0x1F52, "no upper"},    {0x2170, 0x2160, "roman one"},
      {0x24E9, 0x24CF, "circled z"}, {0xFF41, 0xFF21, "fullwidth a"}, {0xFF5B, 0xFF5B, "fullwidth {"},
      {0xD835, 0xD835, "surrogate"}, {0xFFFF, 0xFFFF, "last"},        {0, 0, "NUL"},
      {0x2C65, 0x23A, "A stroke"},   {0x3F2, 0x3F9, "lunate sigma"},  {0xA641, 0xA640, "Unicode 5.1"},
  };
  for (const Row& row : rows) EXPECT_EQ(Upcase(row.from), row.to) << row.what;
  // The whole table: its hash and how many units change.
  std::u16string all;
  int changed = 0;
  for (unsigned unit = 0; unit <= 0xFFFF; ++unit) {
    all.push_back(Upcase(static_cast<char16_t>(unit)));
    if (all.back() != unit) ++changed;
  }
  EXPECT_EQ(changed, 973);
  EXPECT_EQ(LookupHash(all), 0x117b0458U);
}

TEST(HiveNames, StartsOfNames) {
  EXPECT_EQ(NameStart(u""), 0U);
  EXPECT_EQ(NameStart(u"ab"), 0x6261U);
  EXPECT_EQ(NameStart(u"\u00ffbcde"), 0x646362FFU);
  EXPECT_EQ(NameStart(u"abcd\u03a9"), 0x64636261U);
  EXPECT_EQ(NameStart(u"abc\u03a9"), std::nullopt);
  EXPECT_EQ(NameStart(u"\u041a"), std::nullopt);
}

TEST(HiveNames, LookupHash) {
  // From a hive that Windows wrote.
  EXPECT_EQ(HashOf("abcd_\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f"), 0xCD87D55EU);
  EXPECT_EQ(HashOf("A"), 65U);
  EXPECT_EQ(HashOf("ab"), 65U * 37 + 66);
  EXPECT_EQ(HashOf(""), 0U);
  EXPECT_EQ(HashOf("Session Manager"), HashOf("SESSION manager"));
}

TEST(HiveNames, GeneralisedUtf8) {
  for (const std::string& name : {""s, "plain"s, "\xc3\xa9\xe6\x97\xa5"s, "\xf0\x9f\x98\x80"s, "\xf4\x8f\xbf\xbf"s,
                                  "a\0b"s, "\xed\xa0\x80 alone"s, "\xed\xb0\x80\xed\xa0\x80"s}) {
    const auto utf16 = NameFromUtf8(name);
    ASSERT_TRUE(utf16) << name;
    EXPECT_EQ(NameToUtf8(*utf16), name);
  }
  EXPECT_EQ(NameFromUtf8("\xf0\x9f\x98\x80"), u"\xD83D\xDE00");
  EXPECT_EQ(NameToUtf8(std::u16string(1, 0xD800)), "\xed\xa0\x80");
  for (const std::string& bad :
       {"\xff"s, "\x80"s, "\xc0\x80"s, "\xc3"s, "\xe6\x97"s, "\xe0\x80\x80"s, "\xf0\x80\x80\x80"s, "\xf4\x90\x80\x80"s,
        "\xf8\x88\x80\x80\x80"s, "\xc3("s, "\xed\xa0\xbd\xed\xb8\x80"s}) {
    EXPECT_FALSE(NameFromUtf8(bad)) << bad.size();
  }
}

TEST(HiveNames, StoredForms) {
  EXPECT_TRUE(Store(u"ab\u00ff").latin1);
  EXPECT_EQ(Store(u"ab\u00ff").bytes, "ab\xff");
  EXPECT_FALSE(Store(u"\u0100").latin1);
  EXPECT_EQ(Store(u"a\u0100").bytes, "a\0\0\1"s);
  EXPECT_EQ(Load("ab\xff", true), u"ab\u00ff");
  EXPECT_EQ(Load("a\0\0\1"s, false), u"a\u0100");
  EXPECT_FALSE(Load("abc", false));
}

}  // namespace
}  // namespace prov::images::regf
