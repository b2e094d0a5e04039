// Properties over random trees and damaged files, and the optional shared samples.
#include <gtest/gtest.h>

#include <cstdio>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"

namespace prov::images {
namespace {

using testing::Key;
using testing::Patch;
using testing::Value;

TEST(HiveRoundTrip, RandomTreesComeBack) {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const RegKey tree = testing::RandomTree(seed).Make();
    const Result<std::string> hive = WriteHive(tree, {});
    ASSERT_TRUE(hive) << hive.error().message << " at " << hive.error().where;
    const Result<void> checked = CheckHive(*hive);
    ASSERT_TRUE(checked) << checked.error().message << " at " << checked.error().where;
    const Result<RegKey> back = ReadHive(*hive);
    ASSERT_TRUE(back) << back.error().message << " at " << back.error().where;
    ASSERT_EQ(*back, testing::Normalised(tree));
    ASSERT_EQ(WriteHive(*back, {}).value(), *hive) << "what was read is written to the same bytes";
  }
}

// Damaged hives are refused or read, never more; what is read can be written again, unless the damage made two names
// equal.
TEST(HiveRoundTrip, DamagedHivesNeverCrash) {
  constexpr std::uint32_t kSeed = 20240607;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  std::vector<std::string> originals;
  for (std::uint32_t seed = 100; seed < 106; ++seed)
    originals.push_back(WriteHive(testing::RandomTree(seed, 2).Make(), {}).value());
  RegKey many;
  for (int i = 0; i < 600; ++i) many.subkeys.push_back(Key(std::to_string(i)));
  originals.push_back(WriteHive(many, {}).value());
  originals.push_back(
      WriteHive(Key("", {}, {Key("a", {Value("v", RegType::kSz, "")}, {Key("b", {Value("", RegType::kSz, "12345")})})}),
                {})
          .value());

  int read_count = 0;
  int clean_count = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string hive = originals[random() % originals.size()];
    for (std::uint32_t changes = 1 + static_cast<std::uint32_t>(random() % 4); changes > 0; --changes) {
      // Mostly in the first bin, where the records are dense; mostly plausible values.
      const std::size_t range = random() % 3 == 0 ? hive.size() : std::min<std::size_t>(hive.size(), 4096 + 2048);
      const std::size_t at = 4096 + random() % (range - 4096);
      switch (random() % 4) {
        case 0:
          hive[at] = static_cast<char>(random());
          break;
        case 1:
          regf::Store32(&hive[at / 4 * 4], static_cast<std::uint32_t>(random() % hive.size() / 8 * 8));
          break;
        case 2:
          regf::Store32(&hive[at / 4 * 4], regf::Load32(hive, 4096 + random() % (hive.size() - 4096) / 4 * 4));
          break;
        default:
          hive[at] = static_cast<char>(hive[at] ^ (1 << (random() % 8)));
          break;
      }
    }
    if (random() % 20 == 0) hive.resize(random() % hive.size());
    if (hive.size() >= 4096) hive = Patch(hive).Done();
    const Result<RegKey> read = ReadHive(hive);
    const Result<void> checked = CheckHive(hive);
    if (checked) {
      ++clean_count;
      ASSERT_TRUE(read) << "round " << round << ": clean but not readable";
    }
    if (!read) {
      ASSERT_TRUE(read.error().code == Code::kHive || read.error().code == Code::kDirtyHive) << "round " << round;
      ASSERT_TRUE(read.error().where.starts_with("offset 0x")) << "round " << round;
      continue;
    }
    ++read_count;
    const Result<std::string> again = WriteHive(*read, {});
    if (again) {
      ASSERT_TRUE(CheckHive(*again)) << "round " << round;
      ASSERT_EQ(ReadHive(*again).value(), testing::Normalised(*read)) << "round " << round;
    } else {
      ASSERT_FALSE(checked) << "round " << round << ": " << again.error().message;
    }
  }
  EXPECT_GT(read_count, 400) << "the damage must not be so coarse that nothing is read";
  EXPECT_GT(clean_count, 100);
  EXPECT_LT(read_count, 3800);
}

TEST(HiveRoundTrip, EveryCutIsRefused) {
  const std::string hive = WriteHive(Key("", {}, {Key("a")}), {}).value();
  for (std::size_t size = 0; size < hive.size(); size += 37) {
    EXPECT_FALSE(ReadHive(std::string_view(hive).substr(0, size))) << size;
    EXPECT_FALSE(CheckHive(std::string_view(hive).substr(0, size))) << size;
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

TEST_F(HiveSamples, AreReadAsExpected) {
  for (const char* name : {"minimal-own", "mixed-own", "ri-2000-keys", "system-skeleton"}) {
    const std::string hive = testing::Sample("hive/" + std::string(name) + ".hiv");
    const Result<void> checked = CheckHive(hive);
    EXPECT_TRUE(checked) << name << ": " << checked.error().message << " at " << checked.error().where;
    const Result<RegKey> read = ReadHive(hive);
    ASSERT_TRUE(read) << name << ": " << read.error().message;
    EXPECT_EQ(ReadHive(WriteHive(*read, {}).value()).value(), *read) << name;
  }
  EXPECT_EQ(ReadHive(testing::Sample("hive/dirty.hiv")).error().code, Code::kDirtyHive);
  EXPECT_EQ(ReadHive(testing::Sample("hive/badsum.hiv")).error().code, Code::kHive);
}

TEST_F(HiveSamples, Contents) {
  const RegKey mixed = ReadHive(testing::Sample("hive/mixed-own.hiv")).value();
  ASSERT_EQ(mixed.subkeys.size(), 4U);
  EXPECT_EQ(mixed.subkeys[0].name, "Alpha");
  EXPECT_EQ(mixed.subkeys[1].name, "zeta");
  EXPECT_EQ(mixed.subkeys[2].name, "\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(mixed.subkeys[3].name, "\xe6\x97\xa5\xe6\x9c\xac");
  EXPECT_EQ(mixed.subkeys[3].values, std::vector<RegValue>{Value("\xe5\x80\xa4", RegType::kSz, EncodeSz("x"))});
  const std::vector<RegValue>& alpha = mixed.subkeys[0].values;
  const auto value = [&](std::string_view name) { return std::ranges::find(alpha, name, &RegValue::name); };
  ASSERT_NE(value("big"), alpha.end());
  ASSERT_EQ(value("big")->data.size(), 51200U);
  for (std::size_t i = 0; i < 51200; ++i) ASSERT_EQ(static_cast<unsigned char>(value("big")->data[i]), i % 256) << i;
  ASSERT_NE(value("multi"), alpha.end());
  EXPECT_EQ(*value("multi"), Value("multi", RegType::kMultiSz, EncodeMultiSz({"a", "b"})));

  const RegKey many = ReadHive(testing::Sample("hive/ri-2000-keys.hiv")).value();
  ASSERT_EQ(many.subkeys.size(), 2000U);
  EXPECT_EQ(many.subkeys[1999].name, "key1999");

  RegKey system = ReadHive(testing::Sample("hive/system-skeleton.hiv")).value();
  EXPECT_EQ(KeyAt(system, "Select").values.at(0), Value("Current", RegType::kDword, EncodeDword(1)));
  EXPECT_EQ(KeyAt(system, "ControlSet001\\Control\\Session Manager\\Environment").values.at(0).type,
            RegType::kExpandSz);
}

TEST_F(HiveSamples, WhatLibhivexWritesWrongly) {
  const std::string plain = testing::Sample("hive/hivex-big20000-single-cell-BAD.hiv");
  const RegKey big = ReadHive(plain).value();
  EXPECT_EQ(big.values.at(0), Value("v", RegType::kBinary, std::string(20000, 'A'))) << "read as what was meant";
  const Result<void> plain_checked = CheckHive(plain, {.allow_unreachable = true});
  ASSERT_FALSE(plain_checked);
  EXPECT_NE(plain_checked.error().message.find("big data record"), std::string::npos) << plain_checked.error().message;
  EXPECT_TRUE(CheckHive(WriteHive(big, {}).value())) << "written anew it is right";

  const std::string hashes = testing::Sample("hive/hivex-nonascii-keys-BADHASH.hiv");
  const RegKey keys = ReadHive(hashes).value();
  EXPECT_EQ(keys.subkeys.size(), 9U);
  EXPECT_FALSE(CheckHive(hashes, {.allow_unreachable = true}));
  EXPECT_TRUE(CheckHive(WriteHive(keys, {}).value()));
}

}  // namespace
}  // namespace prov::images
