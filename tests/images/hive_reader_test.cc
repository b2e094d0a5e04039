// Damaged hives, and those of other programs, as the editor and the tests' own reader take them.
#include "tests/support/hive_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "images/registry/hive_editor.h"
#include "images/registry/hive_writer.h"
#include "images/registry/registry_key.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_checker.h"

namespace prov::images {
namespace {

using namespace std::string_literals;
using testing::FindCell;
using testing::Key;
using testing::kRoot;
using testing::Patch;
using testing::Value;

// Three subkeys, an inline value, a value in a cell, a big value; all in bins whose cells FindCell finds.
RegKey SmallTree() {
  return Key("",
             {Value("dw", RegType::kDword, EncodeDword(7)), Value("Blob", RegType::kBinary, std::string(100, 'b')),
              Value("big", RegType::kBinary, std::string(40000, 'B'))},
             {Key("Alpha", {Value("", RegType::kSz, EncodeSz("x"))}), Key("beta", {}, {Key("inner")}), Key("gamma")});
}
std::string SmallHive() { return WriteHive(SmallTree(), {}).value(); }

struct ReaderRefusal {
  const char* what;
  std::string hive;
  Code code;
  std::string where;
};

void ExpectReaderRefuses(const ReaderRefusal& refusal) {
  const Result<HiveEditor> read = HiveEditor::Open(refusal.hive);
  ASSERT_FALSE(read) << refusal.what;
  EXPECT_EQ(read.error().code, refusal.code) << refusal.what;
  EXPECT_EQ(read.error().where, refusal.where) << refusal.what;
  EXPECT_FALSE(read.error().message.empty());
}

TEST(HiveReader, RefusesWrongBaseBlocks) {
  const std::string good = SmallHive();
  std::string bad_sum = good;
  bad_sum[508] = static_cast<char>(bad_sum[508] ^ 1);
  std::string bad_magic = good;
  bad_magic[0] = 'R';
  const ReaderRefusal refusals[] = {
      {"empty", "", Code::kHive, "offset 0x0"},
      {"short", good.substr(0, 4095), Code::kHive, "offset 0x0"},
      {"no regf", bad_magic, Code::kHive, "offset 0x0"},
      {"checksum", bad_sum, Code::kHive, "offset 0x1fc"},
      {"dirty", Patch(good).SetBase32(4, 7).Done(), Code::kDirtyHive, "offset 0x4"},
      {"major", Patch(good).SetBase32(20, 2).Done(), Code::kHive, "offset 0x14"},
      {"minor 2", Patch(good).SetBase32(24, 2).Done(), Code::kHive, "offset 0x14"},
      {"minor 7", Patch(good).SetBase32(24, 7).Done(), Code::kHive, "offset 0x14"},
      {"a log", Patch(good).SetBase32(28, 6).Done(), Code::kHive, "offset 0x1c"},
      {"unknown format", Patch(good).SetBase32(32, 2).Done(), Code::kHive, "offset 0x1c"},
      {"no bins", Patch(good).SetBase32(40, 0).Done(), Code::kHive, "offset 0x28"},
      {"odd bins", Patch(good).SetBase32(40, 4097).Done(), Code::kHive, "offset 0x28"},
      {"huge bins", Patch(good).SetBase32(40, 0xFFFFF000).Done(), Code::kHive,
       "offset 0x" + [&] { return fmt::format("{:x}", good.size()); }()},
      {"cut short", good.substr(0, good.size() - 1), Code::kHive, fmt::format("offset {:#x}", good.size() - 1)},
      {"only a base block", good.substr(0, 4096), Code::kHive, "offset 0x1000"},
      {"root nowhere", Patch(good).SetBase32(36, 0xFFFFFFFF).Done(), Code::kHive, "offset 0x100000fff"},
      {"root inside a cell", Patch(good).SetBase32(36, 0x28).Done(), Code::kHive, "offset 0x1028"},
      {"root is no key", Patch(good).SetBase32(36, FindCell(good, "sk")).Done(), Code::kHive,
       fmt::format("offset {:#x}", 4096 + FindCell(good, "sk"))},
  };
  for (const ReaderRefusal& refusal : refusals) ExpectReaderRefuses(refusal);
}

TEST(HiveReader, ChecksumHasTwoSpecialValues) {
  // Whatever the words add up to, 0 and 0xFFFFFFFF are never stored.
  for (const std::uint32_t plain : {0U, 0xFFFFFFFFU}) {
    std::string hive = SmallHive();
    std::uint32_t sum = plain;
    for (std::size_t at = 0; at < 504; at += 4) sum ^= regf::Load32(hive, at);
    regf::Store32(&hive[504], sum);
    regf::Store32(&hive[508], plain == 0 ? 1 : 0xFFFFFFFE);
    EXPECT_TRUE(ReadHive(hive)) << plain;
    regf::Store32(&hive[508], plain);
    EXPECT_FALSE(ReadHive(hive)) << plain;
  }
}

TEST(HiveReader, RefusesDamagedBinsAndCells) {
  const std::string good = SmallHive();
  const auto at = [](std::uint32_t offset) { return fmt::format("offset {:#x}", 4096 + offset); };
  const std::uint32_t second_bin = regf::Load32(good, 4096 + 8);
  const ReaderRefusal refusals[] = {
      {"no hbin", Patch(good).SetBytes(0, "nope").Done(), Code::kHive, at(0)},
      {"second bin", Patch(good).SetBytes(second_bin, "nope").Done(), Code::kHive, at(second_bin)},
      {"bin offset", Patch(good).Set32(4, 4096).Done(), Code::kHive, at(4)},
      {"bin size 0", Patch(good).Set32(8, 0).Done(), Code::kHive, at(8)},
      {"bin size odd", Patch(good).Set32(8, 4100).Done(), Code::kHive, at(8)},
      {"bin too large", Patch(good).Set32(8, 0x7FFFF000).Done(), Code::kHive, at(8)},
      {"cell size 0", Patch(good).Set32(0x20, 0).Done(), Code::kHive, at(0x20)},
      {"cell size odd", Patch(good).Set32(0x20, 0U - 0x5CU).Done(), Code::kHive, at(0x20)},
      {"cell leaves its bin", Patch(good).Set32(0x20, 0x80000000).Done(), Code::kHive, at(0x20)},
      {"cell larger than its bin", Patch(good).Set32(0x20, 0U - second_bin).Done(), Code::kHive, at(0x20)},
      {"root key is free", Patch(good).Set32(0x20, 0x58).Done(), Code::kHive, at(0x20)},
  };
  for (const ReaderRefusal& refusal : refusals) ExpectReaderRefuses(refusal);
}

TEST(HiveReader, RefusesDamagedRecords) {
  const std::string good = SmallHive();
  const auto at = [](std::uint32_t offset) { return fmt::format("offset {:#x}", 4096 + offset); };
  const std::uint32_t list = Patch(good).Get32(kRoot + 28);
  const std::uint32_t alpha = Patch(good).Get32(list + 8);
  const std::uint32_t values = Patch(good).Get32(kRoot + 40);
  const std::uint32_t dw = Patch(good).Get32(values + 4);
  const std::uint32_t blob = Patch(good).Get32(values + 8);
  const std::uint32_t db = FindCell(good, "db");
  const std::uint32_t segments = Patch(good).Get32(db + 4 + 4);
  const std::uint32_t last_segment = Patch(good).Get32(segments + 4 + 8);
  const std::uint32_t sk = FindCell(good, "sk");
  const ReaderRefusal refusals[] = {
      {"subkey count", Patch(good).Set32(kRoot + 20, 4).Done(), Code::kHive, at(0x20)},
      {"subkey list nowhere", Patch(good).Set32(kRoot + 28, regf::kNil).Done(), Code::kHive, "offset 0x100000fff"},
      {"subkey list of no kind", Patch(good).SetBytes(list + 4, "lx").Done(), Code::kHive, at(list)},
      {"subkey list too long", Patch(good).Set16(list + 6, 4).Done(), Code::kHive, at(list)},
      {"index too long", Patch(good).SetBytes(list + 4, "ri").Set16(list + 6, 8).Done(), Code::kHive, at(list)},
      {"index under an index", Patch(good).SetBytes(list + 4, "ri").Set16(list + 6, 1).Set32(list + 8, list).Done(),
       Code::kHive, at(list)},
      {"subkey twice", Patch(good).Set32(list + 16, alpha).Done(), Code::kHive, at(alpha)},
      {"subkey is the root", Patch(good).Set32(list + 8, 0x20).Done(), Code::kHive, at(0x20)},
      {"key name too long", Patch(good).Set16(alpha + 4 + 72, 200).Done(), Code::kHive, at(alpha)},
      {"key name empty", Patch(good).Set16(alpha + 4 + 72, 0).Done(), Code::kHive, at(alpha)},
      {"key name odd", Patch(good).Set16(alpha + 4 + 2, 0).Done(), Code::kHive, at(alpha)},
      {"key name with backslash", Patch(good).SetBytes(alpha + 4 + 76, "Al\\ha").Done(), Code::kHive, at(alpha)},
      {"value count", Patch(good).Set32(kRoot + 36, 1000).Done(), Code::kHive, at(values)},
      {"value count overflows", Patch(good).Set32(kRoot + 36, 0x40000001).Done(), Code::kHive, at(values)},
      {"value list nowhere", Patch(good).Set32(kRoot + 40, 0x7FFFFFF8).Done(), Code::kHive, "offset 0x80000ff8"},
      {"value twice", Patch(good).Set32(values + 8, dw).Done(), Code::kHive, at(dw)},
      {"value is a key", Patch(good).Set32(values + 4, alpha).Done(), Code::kHive, at(alpha)},
      {"value name too long", Patch(good).Set16(dw + 4 + 2, 9000).Done(), Code::kHive, at(dw)},
      {"value name odd", Patch(good).Set16(dw + 4 + 2, 1).Set16(dw + 4 + 16, 0).Done(), Code::kHive, at(dw)},
      {"inline data of 5", Patch(good).Set32(dw + 4 + 4, 0x80000005).Done(), Code::kHive, at(dw)},
      {"data longer than its cell", Patch(good).Set32(blob + 4 + 4, 1000).Done(), Code::kHive,
       at(Patch(good).Get32(blob + 4 + 8))},
      {"data nowhere", Patch(good).Set32(blob + 4 + 8, 4).Done(), Code::kHive, "offset 0x1004"},
      {"no db where one must be", Patch(good).SetBytes(db + 4, "dc").Done(), Code::kHive, at(db)},
      {"db in version 1.3", Patch(good).SetBase32(24, 3).Done(), Code::kHive, at(db)},
      {"db with too few segments", Patch(good).Set16(db + 4 + 2, 2).Done(), Code::kHive, at(db)},
      {"db with more segments than its list", Patch(good).Set16(db + 4 + 2, 900).Done(), Code::kHive, at(db)},
      {"db list nowhere", Patch(good).Set32(db + 4 + 4, 1).Done(), Code::kHive, "offset 0x1001"},
      {"db segment twice", Patch(good).Set32(segments + 4, Patch(good).Get32(segments + 8)).Done(), Code::kHive,
       at(Patch(good).Get32(segments + 8))},
      {"db segment too short", Patch(good).Set32(segments + 4, last_segment).Done(), Code::kHive, at(last_segment)},
      {"no security", Patch(good).Set32(alpha + 4 + 44, regf::kNil).Done(), Code::kHive, "offset 0x100000fff"},
      {"security is a key", Patch(good).Set32(alpha + 4 + 44, 0x20).Done(), Code::kHive, at(0x20)},
      {"security too long", Patch(good).Set32(sk + 4 + 16, 1000).Done(), Code::kHive, at(sk)},
      {"security malformed", Patch(good).Set16(sk + 4 + 20, 9).Done(), Code::kHive, at(sk)},
  };
  for (const ReaderRefusal& refusal : refusals) ExpectReaderRefuses(refusal);
}

TEST(HiveReader, RefusesDeepNesting) {
  // The innermost of 512 levels is given the list of another branch, which is read later.
  RegKey root = Key("", {}, {Key("x", {}, {Key("y")})});
  RegKey* key = &root.subkeys.emplace_back(Key("deep"));
  for (unsigned i = 1; i < kMaxKeyDepth; ++i) key = &key->subkeys.emplace_back(Key("k"));
  const std::string hive = WriteHive(root, {}).value();
  ASSERT_TRUE(ReadHive(hive));
  const std::uint32_t x = Patch(hive).Get32(Patch(hive).Get32(kRoot + 28) + 16);
  const std::uint32_t innermost = FindCell(hive, "nk", kMaxKeyDepth);
  ASSERT_EQ(Patch(hive).Get32(innermost + 4 + 20), 0U);
  Patch deeper(hive);
  deeper.Set32(innermost + 4 + 20, 1).Set32(innermost + 4 + 28, Patch(hive).Get32(x + 4 + 28));
  ExpectReaderRefuses({"513 levels", deeper.Done(), Code::kHive, fmt::format("offset {:#x}", 4096 + innermost)});
  EXPECT_NE(ReadHive(deeper.Done()).error().message.find("deeper than 512"), std::string::npos);
  EXPECT_NE(CheckHive(deeper.Done()).error().message.find("deeper than 512"), std::string::npos);
}

TEST(HiveReader, ReadsWhatWindowsWrites) {
  const std::string good = SmallHive();
  const RegKey expected = testing::Normalised(SmallTree());
  const std::uint32_t list = Patch(good).Get32(kRoot + 28);
  const std::uint32_t a = Patch(good).Get32(list + 8);
  const std::uint32_t b = Patch(good).Get32(list + 16);
  const std::uint32_t c = Patch(good).Get32(list + 24);
  const std::uint32_t inner_list = Patch(good).Get32(b + 4 + 28);

  EXPECT_EQ(ReadHive(good).value(), expected);
  EXPECT_EQ(ReadHive(good + std::string(5000, 'x')).value(), expected) << "slack behind the bins";
  EXPECT_EQ(ReadHive(Patch(good).SetBytes(list + 4, "lf").Set32(list + 12, 0x68706C41).Done()).value(), expected)
      << "lf";
  EXPECT_EQ(
      ReadHive(Patch(good).SetBytes(list + 4, "li").Set32(list + 8, a).Set32(list + 12, b).Set32(list + 16, c).Done())
          .value(),
      expected)
      << "li";
  EXPECT_EQ(ReadHive(Patch(good).Set32(list + 12, 0).Done()).value(), expected)
      << "a wrong hash is CheckHive's business";
  EXPECT_EQ(ReadHive(Patch(good).SetBase32(24, 6).Done()).value(), expected) << "version 1.6";
  EXPECT_EQ(ReadHive(Patch(good).Set32(a + 4 + 48, 0x1000).Set16(a + 4 + 74, 8).Done()).value(), expected)
      << "class names are not read";
  EXPECT_EQ(ReadHive(Patch(good).Set32(c + 4 + 28, 0x12345678).Set32(c + 4 + 40, 0x12345678).Done()).value(), expected)
      << "offsets of empty lists mean nothing";
  EXPECT_EQ(ReadHive(Patch(good).Set32(kRoot + 24, 9).Set32(kRoot + 32, 0x20).Done()).value(), expected)
      << "volatile subkeys mean nothing in a file";

  // An index with one leaf, and an empty leaf as libhivex leaves it: the list of "beta" becomes the index of the root.
  RegKey without_inner = expected;
  without_inner.subkeys[1].subkeys.clear();
  Patch index(good);
  index.Set32(b + 4 + 20, 0).Set32(b + 4 + 28, regf::kNil).Set32(kRoot + 28, inner_list);
  index.SetBytes(inner_list + 4, "ri").Set16(inner_list + 6, 1).Set32(inner_list + 8, list);
  EXPECT_EQ(ReadHive(index.Done()).value(), without_inner);

  // An empty value whose offset points nowhere, and one with the inline mark.
  const std::uint32_t blob = Patch(good).Get32(Patch(good).Get32(kRoot + 40) + 8);
  RegKey without_data = expected;
  without_data.values[1].data.clear();
  EXPECT_EQ(ReadHive(Patch(good).Set32(blob + 4 + 4, 0).Set32(blob + 4 + 8, regf::kNil).Done()).value(), without_data);
  EXPECT_EQ(ReadHive(Patch(good).Set32(blob + 4 + 4, 0x80000000).Set32(blob + 4 + 8, regf::kNil).Done()).value(),
            without_data);
}

TEST(HiveReader, BigDataInOnePlainCell) {
  // As libhivex writes it in version 1.5, and as Windows does in 1.3: take a 40,000-byte cell made of a security
  // descriptor's place.
  RegKey root = Key("", {Value("big", RegType::kBinary, std::string(20000, 'B'))}, {Key("a")});
  root.subkeys[0].security = SystemAdminsDescriptor() + std::string(20000, 's');
  const std::string hive = WriteHive(root, {}).value();
  const std::uint32_t sk = FindCell(hive, "sk", 1);
  const std::uint32_t vk = FindCell(hive, "vk");
  Patch patch(hive);
  patch.Set32(vk + 4 + 8, sk).SetBytes(sk + 4, "db" + std::string(19998, 'B'));
  patch.Set32(FindCell(hive, "nk", 1) + 4 + 44, FindCell(hive, "sk"));
  EXPECT_EQ(ReadHive(patch.Done()).value().values[0].data, "db" + std::string(19998, 'B'));
  EXPECT_FALSE(CheckHive(patch.Done(), {.allow_unreachable = true})) << "Windows can't read it";
  EXPECT_EQ(ReadHive(patch.SetBase32(24, 3).Done()).value().values[0].data, "db" + std::string(19998, 'B'));
}

TEST(HiveReader, SpareBigDataSegmentsAreIgnored) {
  const std::string good = SmallHive();
  const std::uint32_t big = Patch(good).Get32(Patch(good).Get32(kRoot + 40) + 12);
  const std::string hive = Patch(good).Set32(big + 4 + 4, 20000).Done();
  EXPECT_EQ(ReadHive(hive).value().values[2].data, std::string(20000, 'B'));
  EXPECT_FALSE(CheckHive(hive));
}

}  // namespace
}  // namespace prov::images
