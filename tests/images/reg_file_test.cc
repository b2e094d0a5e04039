#include "images/registry/reg_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/images/hive_test_util.h"

namespace prov::images {
namespace {

using namespace std::string_literals;
using testing::Key;
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
  const std::vector<RegFileEntry> entries = ReadRegFile(WriteRegFile(tree, "K")).value();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].values.size(), 1U);
  EXPECT_EQ(entries[1].key, "K\\odd]name");
}

void FlattenEntries(const RegKey& key, const std::string& path, std::vector<RegFileEntry>& out) {
  if (!key.values.empty() || key.subkeys.empty()) {
    RegFileEntry& entry = out.emplace_back(RegFileEntry{path, false, {}});
    for (const RegValue& value : key.values) entry.values.push_back({value, false});
  }
  for (const RegKey& subkey : key.subkeys) FlattenEntries(subkey, path + "\\" + subkey.name, out);
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
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    RegKey tree = testing::RandomTree(seed, 3).Make();
    Tame(tree);
    std::vector<RegFileEntry> expected;
    FlattenEntries(tree, "HKEY_LOCAL_MACHINE", expected);
    const Result<std::vector<RegFileEntry>> read = ReadRegFile(WriteRegFile(tree, "HKEY_LOCAL_MACHINE"));
    ASSERT_TRUE(read) << read.error().message << " at " << read.error().where;
    ASSERT_EQ(*read, expected);
  }
}

TEST(RegFile, ReadsEncodings) {
  const std::string text = std::string(kHead) + "[K]\r\n\"\xc3\xa9\"=\"\xe6\x97\xa5\"\r\n";
  const std::vector<RegFileEntry> expected = {
      {"K", false, {{Value("\xc3\xa9", RegType::kSz, EncodeSz("\xe6\x97\xa5")), false}}}};
  EXPECT_EQ(ReadRegFile(text).value(), expected);
  EXPECT_EQ(ReadRegFile("\xef\xbb\xbf" + text).value(), expected);
  EXPECT_EQ(ReadRegFile("\xff\xfe" + ToUtf16Le(text)).value(), expected);
  for (const std::string& bad : {"\xff\xfe" + ToUtf16Le(text) + "x", "\xfe\xff\0W"s, ToUtf16Le(text), text + "\xff",
                                 ""s, "REGEDIT4\r\n"s, "\xff\xfe\0\xd8"s}) {
    const auto read = ReadRegFile(bad);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kInvalidConfig);
    EXPECT_EQ(read.error().where, "line 1");
  }
}

// One line for each key and value: enough to compare, easy to read.
std::string Rendered(const std::vector<RegFileEntry>& entries) {
  std::string out;
  for (const RegFileEntry& entry : entries) {
    out += fmt::format("{}[{}]\n", entry.remove ? "remove " : "", entry.key);
    for (const RegFileValue& value : entry.values) {
      if (value.remove) {
        out += fmt::format("remove '{}'\n", value.value.name);
      } else {
        out += fmt::format("'{}' {:x} {}\n", value.value.name, static_cast<std::uint32_t>(value.value.type),
                           ToHex(value.value.data));
      }
    }
  }
  return out;
}

TEST(RegFile, ReadsEveryForm) {
  const std::string_view text =
      "Windows Registry Editor Version 5.00 \n\n ; comment\n\t\n[HKLM\\A] ; why\n\"a\" = \"b\" ; because\n@=hex:01 , "
      "02,\\\n  03\n"
      "\"c\"=dword:A\n\"d\"=hex(2):\\\n\n[-HKLM\\B\\C]\n[HKLM\\D]\n\"gone\"=-\n@=- ; default\n\"e\"=hex(0):\n"
      "\"f\"=hex(FFFFFFFF):fF,\\ ; more\n 00";
  const Result<std::vector<RegFileEntry>> read = ReadRegFile(text);
  ASSERT_TRUE(read) << read.error().message << " at " << read.error().where;
  EXPECT_EQ(Rendered(*read),
            "[HKLM\\A]\n'a' 1 62000000\n'' 3 010203\n'c' 4 0a000000\n'd' 2 \nremove [HKLM\\B\\C]\n"
            "[HKLM\\D]\nremove 'gone'\nremove ''\n'e' 0 \n'f' ffffffff ff00\n");
}

TEST(RegFile, FaultsHaveLines) {
  struct Row {
    const char* lines;  // from line 3 on
    const char* where;
    const char* message;
  };
  const Row rows[] = {
      {"\"a\"=\"b\"", "line 3", "before the first [key]"},
      {"[K", "line 3", "closed by ]"},
      {"[]", "line 3", "empty"},
      {"[-]", "line 3", "empty"},
      {"[a\tb]", "line 3", "control"},
      {"[K] x", "line 3", "follows the ]"},
      {"[-K]\n\"a\"=\"b\"", "line 4", "to be removed"},
      {"[K]\nname=1", "line 4", "neither a [key]"},
      {"[K]\n\"\"=\"b\"", "line 4", "written @"},
      {"[K]\n\"a\"\"b\"", "line 4", "not followed by ="},
      {"[K]\n\"a\"", "line 4", "not followed by ="},
      {"[K]\n\"a=\"b", "line 4", "not followed by ="},
      {"[K]\n\"a\"=\"b", "line 4", "closed by \""},
      {"[K]\n\"a\"=\"line1\nline2\"", "line 4", "closed by \""},
      {"[K]\n\"a\"=\"b\\", "line 4", "closed by \""},
      {"[K]\n\"a\"=\"c:\\x\"", "line 4", "not doubled"},
      {"[K]\n\"a\"=\"\x01\"", "line 4", "control"},
      {"[K]\n\"a\"=\"b\" x", "line 4", "follows a value"},
      {"[K]\n\"a\"=", "line 4", "neither \"text\""},
      {"[K]\n\"a\"=word:1", "line 4", "neither \"text\""},
      {"[K]\n\"a\"=dword:", "line 4", "hexadecimal digits"},
      {"[K]\n\"a\"=dword:-1", "line 4", "hexadecimal digits"},
      {"[K]\n\"a\"=dword:123456789", "line 4", "follows a value"},
      {"[K]\n\"a\"=hex", "line 4", "followed by :"},
      {"[K]\n\"a\"=hex(2:00", "line 4", "closed by )"},
      {"[K]\n\"a\"=hex():00", "line 4", "hexadecimal digits"},
      {"[K]\n\"a\"=hex:0", "line 4", "two hexadecimal"},
      {"[K]\n\"a\"=hex:0g", "line 4", "two hexadecimal"},
      {"[K]\n\"a\"=hex:00,", "line 4", "two hexadecimal"},
      {"[K]\n\"a\"=hex:00,,00", "line 4", "two hexadecimal"},
      {"[K]\n\"a\"=hex:00 00", "line 4", "follows a value"},
      {"[K]\n\"a\"=hex:00\\\n,00", "line 4", "follows a value"},
      {"[K]\n\"a\"=hex:00,\\ x\n00", "line 4", "backslash"},
      {"[K]\n\"a\"=hex:00,\\\n\n00", "line 5", "two hexadecimal"},
      {"[K]\n\"a\"=hex:00,\\", "line 4", "ends within"},
  };
  for (const Row& row : rows) {
    const auto read = ReadRegFile(std::string(kHead) + row.lines);
    ASSERT_FALSE(read) << row.lines;
    EXPECT_EQ(read.error().code, Code::kInvalidConfig);
    EXPECT_EQ(read.error().where, row.where) << row.lines;
    EXPECT_NE(read.error().message.find(row.message), std::string::npos) << row.lines << ": " << read.error().message;
  }
}

TEST(RegFile, DamagedFilesNeverCrash) {
  std::mt19937 random(5);
  RegKey tree = testing::RandomTree(3).Make();
  const std::string good = WriteRegFile(tree, "HKEY_LOCAL_MACHINE").substr(0, 20000);
  for (int round = 0; round < 500; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) {
      const char likely = "\"\\[]=,\n"[random() % 7];
      bytes[random() % bytes.size()] = random() % 3 == 0 ? static_cast<char>(random()) : likely;
    }
    const auto read = ReadRegFile(bytes);
    EXPECT_TRUE(read || read.error().where.starts_with("line "));
  }
}

class RegFileSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasSamples()) GTEST_SKIP() << "the shared samples are not here";
  }
};

TEST_F(RegFileSamples, AnExportIsReadAndWrittenTheSame) {
  const std::string sample = testing::Sample("reg/wine-export-utf16le.reg");
  const Result<std::vector<RegFileEntry>> read = ReadRegFile(sample);
  ASSERT_TRUE(read) << read.error().message << " at " << read.error().where;
  ASSERT_EQ(read->size(), 1U);
  RegKey key;
  for (const RegFileValue& value : read->front().values) key.values.push_back(value.value);
  EXPECT_EQ(key.values.size(), 11U);
  EXPECT_EQ(WriteRegFile(key, read->front().key), sample);
}

TEST_F(RegFileSamples, Deletions) {
  EXPECT_EQ(Rendered(ReadRegFile(testing::Sample("reg/rd.reg")).value()),
            "[HKEY_LOCAL_MACHINE\\SOFTWARE\\RTest]\nremove 'del'\nremove ''\nremove 'absent'\n"
            "remove [HKEY_LOCAL_MACHINE\\SOFTWARE\\RTest\\Sub]\nremove [HKEY_LOCAL_MACHINE\\SOFTWARE\\NoSuch]\n");
}

TEST_F(RegFileSamples, Certificate) {
  const std::vector<RegFileEntry> read = ReadRegFile(testing::Sample("reg/cert-root-inject.reg")).value();
  EXPECT_EQ(read.at(0).values.at(0).value.data, testing::Sample("cert/ca.blob-sha1.bin"));
}

TEST_F(RegFileSamples, RawLineBreakIsRefused) {
  const Result<std::vector<RegFileEntry>> read = ReadRegFile(testing::Sample("reg/r16.reg"));
  ASSERT_FALSE(read) << "others skip such a text silently";
  EXPECT_EQ(read.error().where, "line 19");
}

}  // namespace
}  // namespace prov::images
