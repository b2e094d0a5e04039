#include "provisioner/pki/der.h"

#include <gtest/gtest.h>

#include <string>

namespace prov::pki {
namespace {

using namespace std::string_literals;

TEST(Der, WalksTheElementsOfOneLevel) {
  const std::string bytes = "\x02\x01\x05\x30\x03\x01\x01\xFF\x04\x00"s;
  DerReader reader(bytes);
  EXPECT_TRUE(reader.NextIs(der::kInteger));
  EXPECT_FALSE(reader.Read(der::kSequence)) << "another tag is not read";
  EXPECT_EQ(reader.Read(der::kInteger), "\x05");
  const auto sequence = reader.Next();
  ASSERT_TRUE(sequence);
  EXPECT_EQ(sequence->tag, der::kSequence);
  EXPECT_EQ(sequence->content, "\x01\x01\xFF");
  EXPECT_EQ(sequence->whole, "\x30\x03\x01\x01\xFF");
  EXPECT_EQ(reader.Rest().size(), 2U);
  EXPECT_EQ(reader.Read(der::kOctetString), "");
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_FALSE(reader.NextIs(der::kInteger));
  EXPECT_FALSE(reader.Next());
}

TEST(Der, LongLengths) {
  const std::string content128(128, 'x');
  const std::string content256(256, 'x');
  EXPECT_EQ(OnlyElement("\x04\x81\x80" + content128, der::kOctetString), content128);
  EXPECT_EQ(OnlyElement("\x04\x82\x01\x00"s + content256, der::kOctetString), content256);
  const std::string content65536(65536, 'x');
  EXPECT_EQ(OnlyElement("\x04\x83\x01\x00\x00"s + content65536, der::kOctetString), content65536);
}

TEST(Der, RefusesWhatIsNoDer) {
  const struct {
    std::string bytes;
    const char* why;
  } cases[] = {
      {"", "nothing"},
      {"\x02"s, "no length"},
      {"\x02\x02\x01"s, "value cut short"},
      {"\x30\x80\x00\x00"s, "indefinite length"},
      {"\x04\x81\x05hello"s, "not the shortest length: one byte would do"},
      {"\x04\x82\x00\x80"s + std::string(128, 'x'), "not the shortest length: leading zero"},
      {"\x04\x82\x01"s, "length cut short"},
      {"\x04\x85\x01\x00\x00\x00\x00"s, "length of five bytes"},
      {"\x04\x84\xFF\xFF\xFF\xFF"s, "length beyond the input"},
      {"\x04\xFF"s, "reserved length"},
      {"\x1F\x20\x00"s, "multi-byte tag"},
  };
  for (const auto& c : cases) {
    DerReader reader(c.bytes);
    EXPECT_FALSE(reader.Next()) << c.why;
    EXPECT_EQ(reader.Rest(), c.bytes) << c.why << ": the reader must stay";
  }
  EXPECT_FALSE(OnlyElement("\x02\x01\x05\x00"s, der::kInteger)) << "something behind it";
  EXPECT_FALSE(OnlyElement("\x02\x01\x05"s, der::kOctetString)) << "another tag";
  const std::string cut_bytes = "\x02\x05\x01"s;
  DerReader cut(cut_bytes);
  EXPECT_FALSE(cut.Read(der::kInteger));
}

TEST(Der, Oids) {
  const struct {
    std::string content;
    std::optional<std::string> text;
  } cases[] = {
      {"\x55\x04\x03"s, "2.5.4.3"},
      {"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B"s, "1.2.840.113549.1.1.11"},
      {"\x09\x92\x26"s, "0.9.2342"},
      {"\x88\x37\x03"s, "2.999.3"},
      {"\x00"s, "0.0"},
      {"\x27"s, "0.39"},
      {"\x28"s, "1.0"},
      {"\x50"s, "2.0"},
      {"\x2A\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F"s, "1.2.18446744073709551615"},
      {"\x2A\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00"s, std::nullopt},
      {""s, std::nullopt},
      {"\x2A\x86"s, std::nullopt},
      {"\x2A\x80\x01"s, std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(DottedOid(c.content), c.text);
}

TEST(Der, Integers) {
  const struct {
    std::string content;
    bool valid;
    std::size_t bits;
    std::string hex;
  } cases[] = {
      {"\x00"s, true, 0, "00"},      {"\x01"s, true, 1, "01"},        {"\x7F"s, true, 7, "7f"},
      {"\x00\x80"s, true, 8, "80"},  {"\x01\x00"s, true, 9, "0100"},  {"\xFF"s, true, 0, "-01"},
      {"\x80"s, true, 0, "-80"},     {"\xFB"s, true, 0, "-05"},       {"\xFF\x00"s, true, 0, "-0100"},
      {"\xFF\x7F"s, true, 0, "-81"}, {"\x80\x00"s, true, 0, "-8000"}, {""s, false, 0, "00"},
      {"\x00\x01"s, false, 0, "01"}, {"\xFF\xFF"s, false, 0, "-01"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(IsDerInteger(c.content), c.valid) << c.hex;
    EXPECT_EQ(IntegerBits(c.content), c.bits) << c.hex;
    EXPECT_EQ(IntegerHex(c.content), c.hex);
  }
}

}  // namespace
}  // namespace prov::pki
