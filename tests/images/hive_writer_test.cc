#include "images/registry/hive_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/images/hive_test_util.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"

namespace prov::images {
namespace {

using namespace std::string_literals;
using regf::Load16;
using regf::Load32;
using testing::Key;
using testing::Value;

std::string Written(const RegKey& root, const HiveOptions& options = {}) {
  Result<std::string> hive = WriteHive(root, options);
  EXPECT_TRUE(hive) << hive.error().message;
  if (!hive) return "";
  const Result<void> checked = CheckHive(*hive);
  EXPECT_TRUE(checked) << checked.error().message << " at " << checked.error().where;
  return *hive;
}

TEST(HiveWriter, BaseBlockByteForByte) {
  HiveOptions options;
  options.file_name = "payload";
  options.filetime = 0x01DA000000000000;
  const std::string hive = Written({}, options);
  ASSERT_EQ(hive.size(), 8192U);
  EXPECT_EQ(ToHex(hive.substr(0, 64)),
            "72656766"
            "01000000"
            "01000000"
            "000000000000da01"
            "01000000"
            "05000000"
            "00000000"
            "01000000"
            "20000000"
            "00100000"
            "01000000"
            "7000610079006c006f0061006400"
            "0000");
  EXPECT_EQ(hive.substr(64, 508 - 64), std::string(508 - 64, '\0'));
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < 508; at += 4) sum ^= Load32(hive, at);
  EXPECT_EQ(Load32(hive, 508), sum);
  EXPECT_EQ(ToHex(hive.substr(508, 4)), "5475d167");
  EXPECT_EQ(hive.substr(512, 4096 - 512), std::string(4096 - 512, '\0'));
}

TEST(HiveWriter, EmptyHiveByteForByte) {
  HiveOptions options;
  options.filetime = 0x01DA000000000000;
  const std::string bins = Written({}, options).substr(4096);
  EXPECT_EQ(ToHex(bins.substr(0, 32)),
            "6862696e"
            "00000000"
            "00100000"
            "0000000000000000"
            "000000000000da01"
            "00000000");
  EXPECT_EQ(ToHex(bins.substr(0x20, 0x58)),
            "a8ffffff"
            "6e6b"
            "2c00"
            "000000000000da01"
            "00000000"
            "ffffffff"
            "00000000"
            "00000000"
            "ffffffff"
            "ffffffff"
            "00000000"
            "ffffffff"
            "78000000"
            "ffffffff"
            "00000000"
            "00000000"
            "00000000"
            "00000000"
            "00000000"
            "0400"
            "0000"
            "524f4f54"
            "00000000");
  EXPECT_EQ(ToHex(bins.substr(0x78, 0x98)),
            "68ffffff"
            "736b0000"
            "78000000"
            "78000000"
            "01000000"
            "80000000" +
                ToHex(SystemAdminsUsersDescriptor()));
  EXPECT_EQ(ToHex(bins.substr(0x110, 4)), "f00e0000") << "the rest is one free cell";
  EXPECT_EQ(bins.substr(0x114), std::string(4096 - 0x114, '\0'));
}

TEST(HiveWriter, KeysListsAndValuesByteForByte) {
  const std::string ten(10, 'x');
  const RegKey root = Key("ignored",
                          {Value("", RegType::kDword, EncodeDword(7)), Value("Blob", RegType::kBinary, ten),
                           Value("\xe5\x80\xa4", RegType::kNone, "")},
                          {Key("beta"), Key("Alpha"), Key("\xe6\x97\xa5")});
  const std::string bins = Written(root).substr(4096);
  // Everything fits into one bin and is placed in order: key, security, value list, then each value and its data,
  // subkeys, list.
  const std::uint32_t values = Load32(bins, 0x20 + 4 + 40);
  EXPECT_EQ(values, 0x110U);
  EXPECT_EQ(Load32(bins, 0x20 + 4 + 36), 3U);
  EXPECT_EQ(ToHex(bins.substr(0x110, 16)),
            "f0ffffff"
            "20010000"
            "38010000"
            "68010000");
  EXPECT_EQ(ToHex(bins.substr(0x120, 24)),
            "e8ffffff"
            "766b"
            "0000"
            "04000080"
            "07000000"
            "04000000"
            "0000"
            "0000")
      << "default value: inline, no name flag";
  EXPECT_EQ(ToHex(bins.substr(0x138, 32)),
            "e0ffffff"
            "766b"
            "0400"
            "0a000000"
            "58010000"
            "03000000"
            "0100"
            "0000"
            "426c6f62"
            "00000000");
  EXPECT_EQ(bins.substr(0x158, 16), "\xf0\xff\xff\xff"s + ten + "\0\0"s);
  EXPECT_EQ(ToHex(bins.substr(0x168, 32)),
            "e0ffffff"
            "766b"
            "0200"
            "00000080"
            "00000000"
            "00000000"
            "0000"
            "0000"
            "2450"
            "000000000000")
      << "empty, UTF-16 name";

  const std::uint32_t list = Load32(bins, 0x20 + 4 + 28);
  EXPECT_EQ(Load32(bins, 0x20 + 4 + 20), 3U);
  ASSERT_EQ(bins.substr(list + 4, 2), "lh");
  EXPECT_EQ(Load16(bins, list + 6), 3U);
  const auto name_of = [&](std::uint32_t nk) { return bins.substr(nk + 4 + 76, Load16(bins, nk + 4 + 72)); };
  const std::uint32_t alpha = Load32(bins, list + 8);
  const std::uint32_t beta = Load32(bins, list + 16);
  const std::uint32_t day = Load32(bins, list + 24);
  EXPECT_EQ(name_of(alpha), "Alpha");
  EXPECT_EQ(name_of(beta), "beta");
  EXPECT_EQ(ToHex(name_of(day)), "e565");
  EXPECT_EQ(Load32(bins, list + 12), regf::LookupHash(u"ALPHA"));
  EXPECT_EQ(Load32(bins, list + 28), 0x65E5U);
  EXPECT_EQ(Load16(bins, alpha + 4 + 2), 0x20);
  EXPECT_EQ(Load16(bins, day + 4 + 2), 0) << "not Latin-1";
  EXPECT_EQ(Load32(bins, alpha + 4 + 16), 0x20U) << "parent";
  EXPECT_EQ(Load32(bins, alpha + 4 + 44), 0x78U) << "shared security";
  EXPECT_EQ(Load32(bins, 0x78 + 4 + 12), 4U) << "four keys use it";
  EXPECT_EQ(Load32(bins, 0x20 + 4 + 52), 10U) << "longest subkey name in UTF-16 bytes";
  EXPECT_EQ(Load32(bins, 0x20 + 4 + 60), 8U) << "longest value name in UTF-16 bytes";
  EXPECT_EQ(Load32(bins, 0x20 + 4 + 64), 10U) << "longest data";
}

TEST(HiveWriter, BigDataIsSplit) {
  struct Row {
    std::size_t bytes;
    std::uint32_t segments;
  };
  for (const Row& row :
       {Row{16344, 0}, Row{16345, 2}, Row{32688, 2}, Row{32689, 3}, Row{51200, 4}, Row{kMaxValueBytes, 65}}) {
    std::string data(row.bytes, '\0');
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * 7 + i / 251);
    const RegKey root = Key("", {Value("big", RegType::kBinary, data)});
    const std::string hive = Written(root);
    const std::uint32_t db = testing::FindCell(hive, "db");
    if (row.segments == 0) {
      EXPECT_EQ(db, regf::kNil);
    } else {
      ASSERT_NE(db, regf::kNil) << row.bytes;
      EXPECT_EQ(Load16(hive, 4096 + db + 6), row.segments);
      const std::uint32_t list = Load32(hive, 4096 + db + 8);
      const std::uint32_t first = Load32(hive, 4096 + list + 4);
      EXPECT_EQ(Load32(hive, 4096 + first), 0U - 16352U);
    }
    EXPECT_EQ(ReadHive(hive).value().values.at(0).data, data) << row.bytes;
  }
}

// Other readers want it: reglookup reads segments by their offsets, libhivex drops four bytes of each cell.
TEST(HiveWriter, BigDataSegmentsAscendAndHaveFourSpareBytes) {
  RegKey root;
  // Many gaps that the short last segments would fit into.
  for (int i = 0; i < 20; ++i) {
    root.values.push_back(Value("gap" + std::to_string(i), RegType::kBinary, std::string(9000, 'g')));
    root.values.push_back(
        Value("big" + std::to_string(i), RegType::kBinary, std::string(32689 + static_cast<std::size_t>(i), 'b')));
  }
  const std::string hive = Written(root);
  for (int n = 0; n < 20; ++n) {
    const std::uint32_t list = Load32(hive, 4096 + testing::FindCell(hive, "db", n) + 8);
    std::uint32_t previous = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t segment = Load32(hive, 4096 + list + 4 + 4 * i);
      EXPECT_GT(segment, previous);
      previous = segment;
    }
    EXPECT_GE(0U - Load32(hive, 4096 + previous), 4U + 1U + static_cast<std::uint32_t>(n) + 4U);
  }
}

TEST(HiveWriter, ManySubkeysGetAnIndex) {
  for (const std::size_t count : {1U, 507U, 508U, 1014U, 3000U}) {
    RegKey root;
    for (std::size_t i = 0; i < count; ++i) {
      root.subkeys.push_back(Key((i % 3 == 0 ? "\xe6\x97\xa5" : "Key") + std::to_string(i * 7919 % count)));
      root.values.push_back(Value(std::to_string(i), RegType::kDword, EncodeDword(static_cast<std::uint32_t>(i))));
    }
    const std::string hive = Written(root);
    const std::size_t list = 4096 + Load32(hive, 4096 + 0x20 + 4 + 28);
    if (count <= 507) {
      EXPECT_EQ(hive.substr(list + 4, 2), "lh");
      EXPECT_EQ(Load16(hive, list + 6), count);
    } else {
      EXPECT_EQ(hive.substr(list + 4, 2), "ri");
      EXPECT_EQ(Load16(hive, list + 6), (count + 506) / 507);
    }
    EXPECT_EQ(ReadHive(hive).value(), testing::Normalised(root));
  }
}

TEST(HiveWriter, SortsByUpperCaseUnits) {
  const RegKey root = Key("", {},
                          {Key("b"), Key("_"), Key("A"), Key("ab"), Key("a1"), Key("\xc3\xbf"), Key("\xc5\xb7"),
                           Key("\xc3\xa9"), Key("\xf0\x9f\x98\x80"), Key("\xef\xac\x80")});
  std::string order;
  const RegKey back = ReadHive(Written(root)).value();
  for (const RegKey& key : back.subkeys) order += key.name + " ";
  // '_' (5F) stands behind the upper-case letters; ÿ becomes U+0178, behind ŷ's U+0176; a surrogate stands before
  // U+FB00.
  EXPECT_EQ(order, "A a1 ab b _ \xc3\xa9 \xc5\xb7 \xc3\xbf \xf0\x9f\x98\x80 \xef\xac\x80 ");
}

TEST(HiveWriter, SecurityIsSharedAndInherited) {
  RegKey root = Key("", {}, {Key("open", {}, {Key("below")}), Key("secret", {}, {Key("below"), Key("public")})});
  root.subkeys[1].security = SystemAdminsDescriptor();
  root.subkeys[1].subkeys[1].security = SystemAdminsUsersDescriptor();
  const std::string hive = Written(root);
  const std::uint32_t first = testing::FindCell(hive, "sk");
  const std::uint32_t second = testing::FindCell(hive, "sk", 1);
  EXPECT_EQ(testing::FindCell(hive, "sk", 2), regf::kNil);
  EXPECT_EQ(Load32(hive, 4096 + first + 4 + 4), second);
  EXPECT_EQ(Load32(hive, 4096 + first + 4 + 8), second);
  EXPECT_EQ(Load32(hive, 4096 + second + 4 + 4), first);
  EXPECT_EQ(Load32(hive, 4096 + first + 4 + 12), 4U) << "root, open, open\\below, secret\\public";
  EXPECT_EQ(Load32(hive, 4096 + second + 4 + 12), 2U) << "secret, secret\\below";
  EXPECT_EQ(ReadHive(hive).value(), testing::Normalised(root));

  HiveOptions options;
  options.security = SystemAdminsDescriptor();
  EXPECT_EQ(ReadHive(Written({}, options)).value().security, SystemAdminsDescriptor());
  RegKey own;
  own.security = SystemAdminsUsersDescriptor();
  EXPECT_EQ(ReadHive(Written(own, options)).value().security, SystemAdminsUsersDescriptor()) << "the root's own wins";
}

TEST(HiveWriter, FileNameKeepsItsEnd) {
  const auto name_field = [](const std::string& name) {
    HiveOptions options;
    options.file_name = name;
    return Written({}, options).substr(48, 64);
  };
  EXPECT_EQ(name_field(std::string(40, 'a') + "end"), ToUtf16Le(std::string(28, 'a') + "end") + "\0\0"s);
  EXPECT_EQ(name_field("\xf0\x9f\x98\x80" + std::string(30, 'b')),
            ToUtf16Le(std::string(30, 'b')) + std::string(4, '\0'))
      << "no half character";
}

struct WriterRefusal {
  const char* what;
  RegKey root;
  Code code;
  std::string where;
};

RegKey Chain(unsigned levels) {
  RegKey root;
  RegKey* key = &root;
  for (unsigned i = 0; i < levels; ++i) key = &key->subkeys.emplace_back(Key("k"));
  return root;
}

TEST(HiveWriter, Refusals) {
  RegKey bad_security = Key("", {}, {Key("a")});
  bad_security.subkeys[0].security = "no descriptor";
  std::string deep = "k";
  for (unsigned i = 1; i < kMaxKeyDepth; ++i) deep += "\\k";
  const WriterRefusal refusals[] = {
      {"same name", Key("", {}, {Key("a", {}, {Key("Twin"), Key("x"), Key("tWIN")})}), Code::kHive, "a\\Twin"},
      {"same Greek name", Key("", {}, {Key("\xcf\x83"), Key("\xce\xa3")}), Code::kHive, "\xcf\x83"},
      {"backslash", Key("", {}, {Key("a\\b")}), Code::kHive, "a\\b"},
      {"empty name", Key("", {}, {Key("a", {}, {Key("")})}), Code::kHive, "a\\"},
      {"name no UTF-8", Key("", {}, {Key("\xff")}), Code::kHive, "\xff"},
      {"name of 257", Key("", {}, {Key(std::string(257, 'n'))}), Code::kSizeLimit, std::string(257, 'n')},
      {"value name no UTF-8", Key("", {Value("\xff", RegType::kSz, "")}), Code::kHive, "the root key, value \"\xff\""},
      {"value name of 16384", Key("", {Value(std::string(16384, 'v'), RegType::kSz, "")}), Code::kSizeLimit,
       "the root key, value \"" + std::string(16384, 'v') + "\""},
      {"value above 1 MB", Key("", {}, {Key("a", {Value("v", RegType::kSz, std::string(kMaxValueBytes + 1, 'x'))})}),
       Code::kSizeLimit, "a, value \"v\""},
      {"same value name", Key("", {}, {Key("a", {Value("path", RegType::kSz, ""), Value("PATH", RegType::kSz, "")})}),
       Code::kHive, "a"},
      {"two defaults", Key("", {Value("", RegType::kSz, ""), Value("", RegType::kSz, "")}), Code::kHive,
       "the root key"},
      {"too deep", Chain(kMaxKeyDepth + 1), Code::kSizeLimit, deep},
      {"bad descriptor", bad_security, Code::kHive, "a"},
  };
  for (const WriterRefusal& refusal : refusals) {
    const Result<std::string> hive = WriteHive(refusal.root, {});
    ASSERT_FALSE(hive) << refusal.what;
    EXPECT_EQ(hive.error().code, refusal.code) << refusal.what;
    EXPECT_EQ(hive.error().where, refusal.where) << refusal.what;
  }
  HiveOptions options;
  options.security = "x";
  EXPECT_EQ(WriteHive({}, options).error().code, Code::kHive);
  options = {};
  options.file_name = "\xff";
  EXPECT_EQ(WriteHive({}, options).error().code, Code::kHive);
}

TEST(HiveWriter, LimitsThemselvesAreFine) {
  EXPECT_EQ(ReadHive(Written(Chain(kMaxKeyDepth))).value(), testing::Normalised(Chain(kMaxKeyDepth)));
  const RegKey root =
      Key("", {Value(std::string(kMaxValueNameUnits, 'v'), RegType::kSz, std::string(kMaxValueBytes, 'x'))},
          {Key(std::string(kMaxKeyNameUnits, 'k')), Key(std::string(kMaxKeyNameUnits - 1, 'k') + "\xc4\x80")});
  EXPECT_EQ(ReadHive(Written(root)).value(), testing::Normalised(root));
}

// The cells of a certificate need 160 bytes and its blob; bins must waste little beyond that.
TEST(HiveWriter, PacksTightly) {
  for (const std::size_t blob : {815U, 940U, 1250U, 2100U, 3000U}) {
    RegKey root;
    RegKey& store = KeyAt(root, "Microsoft\\SystemCertificates\\ROOT\\Certificates");
    for (std::size_t i = 0; i < 1000; ++i) {
      store.subkeys.push_back(
          Key(fmt::format("{:040X}", i * 2654435761U), {Value("Blob", RegType::kBinary, std::string(blob, 'b'))}));
    }
    const std::size_t needed = 1000 * (160 + (blob + 4 + 7) / 8 * 8 + 8);
    EXPECT_LT(WriteHive(root, {}).value().size(), needed + needed / 25 + 8192) << blob;
  }
}

TEST(HiveWriter, SameTreeSameBytes) {
  const RegKey tree = testing::RandomTree(7).Make();
  RegKey other_order = tree;
  std::ranges::reverse(other_order.subkeys);
  const std::string hive = Written(tree);
  EXPECT_EQ(Written(tree), hive);
  EXPECT_EQ(Written(other_order), hive) << "the order of subkeys does not matter";
}

}  // namespace
}  // namespace prov::images
