// Random trees, hives that are cut short, and the optional shared samples.
#include <gtest/gtest.h>

#include "images/registry/hive_editor.h"
#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"
#include "tests/support/result.h"

namespace prov::images {
namespace {

using testing::Key;
using testing::Value;

TEST(HiveRoundTrip, RandomTreesComeBack) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const RegKey tree = testing::RandomTree(seed).Make();
    const auto hive = Must(WriteHive(tree, {}));
    Must(CheckHive(hive));
    const auto back = Must(ReadHive(hive));
    ASSERT_EQ(back, testing::Normalised(tree));
    ASSERT_EQ(WriteHive(back, {}).value(), hive) << "what was read is written to the same bytes";
  }
}

TEST(HiveRoundTrip, EveryCutIsRefused) {
  const std::string hive = WriteHive(Key("", {}, {Key("a")}), {}).value();
  for (std::size_t size = 0; size < hive.size(); size += 37) {
    EXPECT_FALSE(HiveEditor::Open(hive.substr(0, size))) << size;
  }
}

class HiveSamples : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasSamples()) GTEST_SKIP() << "the shared samples are not here";
  }
};

TEST_F(HiveSamples, MinimalIsWrittenByteForByte) {
  HiveOptions options;
  options.file_name = "payload";
  options.filetime = 0x01DA000000000000;
  EXPECT_EQ(WriteHive({}, options).value(), testing::Sample("hive/minimal-own.hiv"));
}

TEST_F(HiveSamples, WhatLibhivexWritesWrongly) {
  const std::string plain = testing::Sample("hive/hivex-big20000-single-cell-BAD.hiv");
  const RegKey big = ReadHive(plain).value();
  EXPECT_EQ(big.values.at(0), Value("v", RegType::kBinary, std::string(20000, 'A'))) << "read as what was meant";
  const Error plain_checked = ErrorIn(CheckHive(plain, {.allow_unreachable = true}));
  EXPECT_NE(plain_checked.message.find("big data record"), std::string::npos) << plain_checked.message;
  EXPECT_TRUE(CheckHive(WriteHive(big, {}).value())) << "written anew it is right";

  const std::string hashes = testing::Sample("hive/hivex-nonascii-keys-BADHASH.hiv");
  const RegKey keys = ReadHive(hashes).value();
  EXPECT_EQ(keys.subkeys.size(), 9U);
  EXPECT_FALSE(CheckHive(hashes, {.allow_unreachable = true}));
  EXPECT_TRUE(CheckHive(WriteHive(keys, {}).value()));
}

}  // namespace
}  // namespace prov::images
