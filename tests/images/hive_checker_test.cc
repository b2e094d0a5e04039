#include "tests/support/hive_checker.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace prov::images
