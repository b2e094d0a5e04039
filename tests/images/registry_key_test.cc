#include "images/registry/registry_key.h"

#include <gtest/gtest.h>

namespace prov::images {
namespace {

using namespace std::string_literals;

TEST(RegistryKey, Encoders) {
  EXPECT_EQ(EncodeSz(""), "\0\0"s);
  EXPECT_EQ(EncodeSz("a\xc3\xa9"), "a\0\xe9\0\0\0"s);
  EXPECT_EQ(EncodeMultiSz({}), "\0\0"s);
  EXPECT_EQ(EncodeMultiSz({"a=1", "b"}), "a\0=\0001\0\0\0b\0\0\0\0\0"s);
  EXPECT_EQ(EncodeDword(0x01020A0B), "\x0b\x0a\x02\x01"s);
}

TEST(RegistryKey, KeyAtFindsOrMakes) {
  RegKey root;
  KeyAt(root, "SOFTWARE\\Microsoft").values.push_back({"a", RegType::kNone, ""});
  EXPECT_EQ(KeyAt(root, "software\\MICROSOFT").values.size(), 1U);
  KeyAt(root, "SOFTWARE\\Other");
  ASSERT_EQ(root.subkeys.size(), 1U);
  EXPECT_EQ(root.subkeys[0].name, "SOFTWARE");
  EXPECT_EQ(root.subkeys[0].subkeys.size(), 2U);
}

TEST(RegistryKey, KeyAtSkipsEmptyNames) {
  RegKey root;
  EXPECT_EQ(&KeyAt(root, ""), &root);
  EXPECT_EQ(&KeyAt(root, "\\a\\\\b\\"), &KeyAt(root, "a\\b"));
  EXPECT_EQ(root.subkeys.size(), 1U);
}

}  // namespace
}  // namespace prov::images
