#include "images/registry/reg_file.h"

#include <gtest/gtest.h>

#include "tests/images/hive_test_util.h"
#include "tests/images/reg_file_reader.h"
#include "tests/support/amount.h"

namespace prov::images {
namespace {

using namespace std::string_literals;
using testing::Key;
using testing::ReadRegFile;
using testing::RegSection;
using testing::Value;

constexpr std::string_view kHead = "Windows Registry Editor Version 5.00\r\n\r\n";

// The text of a written file, as UTF-8 without the header.
std::string Body(const RegKey& tree, std::string_view root = "HKEY_LOCAL_MACHINE") {
  const std::string bytes = WriteRegFile(tree, root);
  EXPECT_TRUE(bytes.starts_with("\xff\xfe"));
  const std::string text = FromUtf16Le(std::string_view(bytes).substr(2)).value();
  EXPECT_TRUE(text.starts_with(kHead));
  return text.substr(kHead.size());
}
std::string Line(const RegValue& value) {
  const std::string body = Body(Key("", {value}), "K");
  EXPECT_TRUE(body.starts_with("[K]\r\n") && body.ends_with("\r\n\r\n"));
  return body.substr(5, body.size() - 9);
}

TEST(RegFile, ValuesAsRegeditWritesThem) {
  struct Row {
    RegValue value;
    std::string line;
  };
  const Row rows[] = {
      {Value("", RegType::kSz, EncodeSz("x")), "@=\"x\""},
      {Value("a", RegType::kSz, EncodeSz("")), "\"a\"=\"\""},
      {Value("q\"b\\", RegType::kSz, EncodeSz("c:\\x \"y\"")), "\"q\\\"b\\\\\"=\"c:\\\\x \\\"y\\\"\""},
      {Value("\xc3\xa9", RegType::kSz, EncodeSz("\xe6\x97\xa5\xf0\x9f\x98\x80")),
       "\"\xc3\xa9\"=\"\xe6\x97\xa5\xf0\x9f\x98\x80\""},
      {Value("a", RegType::kSz, ""), "\"a\"=hex(1):"},
      {Value("a", RegType::kSz, "A\0"s), "\"a\"=hex(1):41,00"},
      {Value("a", RegType::kSz, "A\0\0\0\0\0"s), "\"a\"=hex(1):41,00,00,00,00,00"},
      {Value("a", RegType::kSz, "A\0\0"s), "\"a\"=hex(1):41,00,00"},
      {Value("a", RegType::kSz, EncodeSz("\n")), "\"a\"=hex(1):0a,00,00,00"},
      {Value("a", RegType::kSz, EncodeSz("\x7f")), "\"a\"=hex(1):7f,00,00,00"},
      {Value("a", RegType::kSz, EncodeSz("\xc2\x85")), "\"a\"=hex(1):85,00,00,00"},
      {Value("a", RegType::kSz, "\0\xd8\0\0"s), "\"a\"=hex(1):00,d8,00,00"},
      {Value("a", RegType::kDword, EncodeDword(0xA0B)), "\"a\"=dword:00000a0b"},
      {Value("a", RegType::kDword, "\1"), "\"a\"=hex(4):01"},
      {Value("a", RegType::kBinary, "\x01\xff"s), "\"a\"=hex:01,ff"},
      {Value("a", RegType::kBinary, ""), "\"a\"=hex:"},
      {Value("a", RegType::kNone, ""), "\"a\"=hex(0):"},
      {Value("a", RegType::kExpandSz, EncodeSz("%")), "\"a\"=hex(2):25,00,00,00"},
      {Value("a", RegType::kMultiSz, EncodeMultiSz({"b"})), "\"a\"=hex(7):62,00,00,00,00,00"},
      {Value("a", RegType::kQword, "\1\0\0\0\0\0\0\0"s), "\"a\"=hex(b):01,00,00,00,00,00,00,00"},
      // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): any number is a type
      {Value("a", static_cast<RegType>(0xFFFF0012), "x"), "\"a\"=hex(ffff0012):78"},
  };
  for (const Row& row : rows) EXPECT_EQ(Line(row.value), row.line);
}

TEST(RegFile, WrapsHexAsRegedit) {
  // As in an export: 22 bytes behind "exp"=hex(2): end at column 80, then 25 a line.
  const std::string line = Line(Value("exp", RegType::kExpandSz, std::string(22 + 25 + 1, 'a')));
  std::string expected = "\"exp\"=hex(2):";
  for (int i = 0; i < 22; ++i) expected += "61,";
  expected += "\\\r\n  ";
  for (int i = 0; i < 25; ++i) expected += "61,";
  EXPECT_EQ(line, expected + "\\\r\n  61");
  for (const auto& piece : Split(Line(Value("n\xc3\xa9", RegType::kBinary, std::string(3000, 'a'))), '\n')) {
    EXPECT_LE(piece.size(), 82U);  // a CR and a two-byte letter
  }
}

TEST(RegFile, KeysThatAreWritten) {
  const RegKey tree =
      Key("x", {},
          {Key("SOFTWARE", {},
               {Key("Empty"), Key("Full", {Value("a", RegType::kDword, EncodeDword(1))}, {Key("Below")})})});
  EXPECT_EQ(Body(tree),
            "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Empty]\r\n\r\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Full]\r\n\"a\"=dword:"
            "00000001\r\n\r\n"
            "[HKEY_LOCAL_MACHINE\\SOFTWARE\\Full\\Below]\r\n\r\n");
  EXPECT_EQ(Body({}, "HKEY_LOCAL_MACHINE\\A"), "[HKEY_LOCAL_MACHINE\\A]\r\n\r\n");
}

TEST(RegFile, NamesThatWouldInjectLinesAreLeftOut) {
  const RegKey tree = Key("",
                          {Value("a\"=\"\"\r\n[HKEY_LOCAL_MACHINE\\EVIL]\r\n\"b", RegType::kSz, EncodeSz("x")),
                           Value("ok", RegType::kDword, EncodeDword(1)), Value("\xed\xa0\x80", RegType::kNone, "")},
                          {Key("k]\r\n[HKEY_LOCAL_MACHINE\\EVIL", {}, {Key("sub")}), Key("odd]name")});
  const std::string body = Body(tree, "K");
  EXPECT_EQ(body.find("\n[HKEY"), std::string::npos) << body;
  EXPECT_NE(body.find("; left out: the value named a\"=\"\"\\x0d\\x0a[HKEY"), std::string::npos) << body;
  EXPECT_NE(body.find("; left out: the key K\\k]\\x0d\\x0a[HKEY"), std::string::npos) << body;
  const std::vector<RegSection> sections = ReadRegFile(WriteRegFile(tree, "K"));
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].values.size(), 1U);
  EXPECT_EQ(sections[1].key, "K\\odd]name");
}

// The sections that hold a key and those below it.
void AddSections(const RegKey& key, const std::string& path, std::vector<RegSection>& out) {
  if (!key.values.empty() || key.subkeys.empty()) out.push_back({path, key.values});
  for (const RegKey& subkey : key.subkeys) AddSections(subkey, path + "\\" + subkey.name, out);
}

// Names that the format can't hold are made plain.
void Tame(RegKey& key) {
  for (RegValue& value : key.values) {
    if (!IsUtf8(value.name)) value.name = "lone" + value.name.substr(3);
  }
  if (!IsUtf8(key.name)) key.name = "lone" + key.name.substr(3);
  for (RegKey& subkey : key.subkeys) Tame(subkey);
}

TEST(RegFile, RandomTreesComeBack) {
  for (std::uint32_t seed = 1; seed <= testing_support::Amount(10); ++seed) {
    SCOPED_TRACE(seed);
    RegKey tree = testing::RandomTree(seed, 3).Make();
    Tame(tree);
    std::vector<RegSection> expected;
    AddSections(tree, "HKEY_LOCAL_MACHINE", expected);
    ASSERT_EQ(ReadRegFile(WriteRegFile(tree, "HKEY_LOCAL_MACHINE")), expected);
  }
}

TEST(RegFile, AnExportIsWrittenTheSame) {
  if (!testing::HasSamples()) GTEST_SKIP() << "the shared samples are not here";
  const std::string sample = testing::Sample("reg/wine-export-utf16le.reg");
  const std::vector<RegSection> read = ReadRegFile(sample);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].values.size(), 11U);
  EXPECT_EQ(WriteRegFile({"", read[0].values, {}, ""}, read[0].key), sample);
}

}  // namespace
}  // namespace prov::images
