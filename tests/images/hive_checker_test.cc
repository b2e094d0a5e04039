#include "images/registry/hive_checker.h"

#include <gtest/gtest.h>

#include "images/registry/hive_reader.h"
#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"

namespace prov::images {
namespace {

using testing::FindCell;
using testing::Key;
using testing::kRoot;
using testing::Patch;
using testing::Value;

std::string ThreeKeyHive() {
  RegKey root =
      Key("", {Value("aa", RegType::kDword, EncodeDword(7)), Value("bb", RegType::kBinary, std::string(100, 'b'))},
          {Key("Alpha"), Key("beta", {}, {Key("inner")}), Key("gamma")});
  root.subkeys[2].security = SystemAdminsDescriptor();
  return WriteHive(root, {}).value();
}

struct Fault {
  const char* what;
  std::string hive;
  std::string message;  // part of it
};

TEST(HiveChecker, FindsWhatReadersOverlook) {
  const std::string good = ThreeKeyHive();
  ASSERT_TRUE(CheckHive(good));
  const std::uint32_t list = Patch(good).Get32(kRoot + 28);
  const std::uint32_t alpha = Patch(good).Get32(list + 8);
  const std::uint32_t beta = Patch(good).Get32(list + 16);
  const std::uint32_t alpha_hash = Patch(good).Get32(list + 12);
  const std::uint32_t beta_hash = Patch(good).Get32(list + 20);
  const std::uint32_t aa = FindCell(good, "vk");
  const std::uint32_t sk = FindCell(good, "sk");
  const std::uint32_t sk2 = FindCell(good, "sk", 1);
  const Fault faults[] = {
      {"root flags", Patch(good).Set16(kRoot + 2, 0x20).Done(), "root key is not marked"},
      {"parent", Patch(good).Set32(beta + 4 + 16, alpha).Done(), "another parent"},
      {"hash", Patch(good).Set32(list + 12, alpha_hash + 1).Done(), "lookup hash"},
      {"order",
       Patch(good)
           .Set32(list + 8, beta)
           .Set32(list + 12, beta_hash)
           .Set32(list + 16, alpha)
           .Set32(list + 20, alpha_hash)
           .Done(),
       "not in the order"},
      {"same name",
       Patch(good).SetBytes(alpha + 4 + 76, "BETA ").Set16(alpha + 4 + 72, 4).Set32(list + 12, beta_hash).Done(),
       "or twice there"},
      {"lf hint", Patch(good).SetBytes(list + 4, "lf").Done(), "name hint"},
      {"longest subkey name", Patch(good).Set16(kRoot + 52, 9).Done(), "subkey whose name is longer"},
      {"longest value name", Patch(good).Set32(kRoot + 60, 3).Done(), "value whose name is longer"},
      {"longest data", Patch(good).Set32(kRoot + 64, 99).Done(), "value whose data is longer"},
      {"same value name", Patch(good).SetBytes(aa + 4 + 20, "BB").Done(), "same name"},
      {"leaked value", Patch(good).Set32(kRoot + 36, 1).Done(), "nothing refers"},
      {"reference count", Patch(good).Set32(sk + 4 + 12, 5).Done(), "counts 5 keys, 4 use it"},
      {"ring back", Patch(good).Set32(sk2 + 4 + 8, sk2).Done(), "ring of security descriptors is broken"},
      {"ring leaves one out", Patch(good).Set32(sk + 4 + 4, sk).Set32(sk + 4 + 8, sk).Done(), "missing in their ring"},
      {"ring to a key", Patch(good).Set32(sk + 4 + 4, 0x20).Done(), "not such a record"},
      {"unused descriptor", Patch(good).Set32(sk + 4 + 12, 5).Set32(Patch(good).Get32(list + 24) + 4 + 44, sk).Done(),
       "counts 1 keys, 0 use it"},
      {"class nowhere", Patch(good).Set16(alpha + 4 + 74, 4).Done(), "class name should be"},
      {"class too long",
       Patch(good).Set32(kRoot + 36, 1).Set16(alpha + 4 + 74, 400).Set32(alpha + 4 + 48, FindCell(good, "bbbb")).Done(),
       "class name is longer"},
      {"dirty", Patch(good).SetBase32(4, 2).Done(), "not closed cleanly"},
      {"key name", Patch(good).Set16(alpha + 4 + 72, 0).Done(), "name is empty"},
  };
  for (const Fault& fault : faults) {
    const Result<void> checked = CheckHive(fault.hive);
    ASSERT_FALSE(checked) << fault.what;
    EXPECT_NE(checked.error().message.find(fault.message), std::string::npos)
        << fault.what << ": " << checked.error().message;
    EXPECT_TRUE(checked.error().where.starts_with("offset 0x")) << fault.what;
  }
}

TEST(HiveChecker, AcceptsOtherFormsThatWindowsUses) {
  const std::string good = ThreeKeyHive();
  const std::uint32_t list = Patch(good).Get32(kRoot + 28);
  const auto name_start = [](std::string_view start) { return regf::Load32(start, 0); };
  EXPECT_TRUE(CheckHive(Patch(good)
                            .SetBytes(list + 4, "lf")
                            .Set32(list + 12, name_start("Alph"))
                            .Set32(list + 20, name_start("beta"))
                            .Set32(list + 28, name_start("gamm"))
                            .Done()));
  EXPECT_TRUE(CheckHive(Patch(good).Set16(kRoot + 52, 500).Set32(kRoot + 60, 500).Set32(kRoot + 64, 5000).Done()))
      << "longest-so-far";
  EXPECT_TRUE(CheckHive(Patch(good).Set32(kRoot + 52, 0x00080000U | 10).Done())) << "flags in the upper half";

  const std::uint32_t bb_data = FindCell(good, "bbbb");
  EXPECT_TRUE(CheckHive(Patch(good)
                            .Set32(kRoot + 36, 1)
                            .Set16(FindCell(good, "nk", 1) + 4 + 74, 100)
                            .Set32(FindCell(good, "nk", 1) + 4 + 48, bb_data)
                            .Done(),
                        {.allow_unreachable = true}))
      << "a class name";
}

TEST(HiveChecker, ShortNamesInLf) {
  RegKey root = Key("", {}, {Key("ab")});
  const std::string good = WriteHive(root, {}).value();
  const std::uint32_t list = Patch(good).Get32(kRoot + 28);
  EXPECT_TRUE(
      CheckHive(Patch(good).SetBytes(list + 4, "lf").SetBytes(list + 12, std::string_view("ab\0\0", 4)).Done()));
}

TEST(HiveChecker, NamesInLfThatHaveNoStart) {
  // abcΩ and Ключ: a character that needs more than a byte. "abcdΩ": not among the first four.
  const RegKey root = Key("", {}, {Key("abc\xce\xa9"), Key("abcd\xce\xa9"), Key("\xd0\x9a\xd0\xbb\xd1\x8e\xd1\x87")});
  const std::string good = WriteHive(root, {}).value();
  const std::uint32_t list = Patch(good).Get32(kRoot + 28);
  const auto with_hints = [&](std::uint32_t abcd, std::uint32_t abc, std::uint32_t wide) {
    return Patch(good)
        .SetBytes(list + 4, "lf")
        .Set32(list + 12, abcd)
        .Set32(list + 20, abc)
        .Set32(list + 28, wide)
        .Done();
  };
  EXPECT_TRUE(CheckHive(with_hints(0x64636261, 0, 0)));
  EXPECT_TRUE(CheckHive(with_hints(0x64636261, 0x63626100, 0))) << "the first byte says that there is none";
  EXPECT_FALSE(CheckHive(with_hints(0x64636261, 0x00636261, 0)));
  EXPECT_FALSE(CheckHive(with_hints(0x00620061, 0, 0))) << "the start of its UTF-16";
  EXPECT_FALSE(CheckHive(with_hints(0x64636261, 0, 0x043B041A)));
}

TEST(HiveChecker, LeakedCellsMayBeAllowed) {
  const std::string leaky = Patch(ThreeKeyHive()).Set32(kRoot + 36, 0).Done();
  const Result<void> strict = CheckHive(leaky);
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().code, Code::kHive);
  EXPECT_TRUE(CheckHive(leaky, {.allow_unreachable = true}));
}

TEST(HiveChecker, LongValueNamesAndDeepKeys) {
  // Names and depths that the format can hold but Windows can't.
  const RegKey root = Key("", {Value(std::string(16383, 'n'), RegType::kNone, "")});
  const std::string good = WriteHive(root, {}).value();
  const std::uint32_t vk = FindCell(good, "vk");
  ASSERT_TRUE(CheckHive(good));
  EXPECT_FALSE(CheckHive(Patch(good).Set16(vk + 4 + 2, 16384).Set32(kRoot + 60, 99999).Done()));
}

}  // namespace
}  // namespace prov::images
