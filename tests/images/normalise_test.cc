// The pure parts of archives: what a format can hold, and the corrections in finished bytes.
#include "images/archive/normalise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "images/archive/archive.h"
#include "tests/support/result.h"

namespace prov::images {
namespace {

using ::testing::HasSubstr;

TEST(ArchiveNames, JolietHoldsSixtyFourUnitsAndNoMore) {
  EXPECT_TRUE(CheckJolietPath("a/" + std::string(64, 'x')));
  const Error name = ErrorIn(CheckJolietPath("a/" + std::string(65, 'x')));
  EXPECT_EQ(name.code, Code::kSizeLimit);
  EXPECT_EQ(name.where, "a/" + std::string(65, 'x'));
  EXPECT_TRUE(CheckJolietPath(std::string(59, 'x') + "/" + std::string(60, 'x')));
  EXPECT_FALSE(CheckJolietPath(std::string(60, 'x') + "/" + std::string(60, 'x')));
  EXPECT_FALSE(CheckJolietPath("a;1"));
  EXPECT_TRUE(CheckJolietPath("1/2/3/4/5/6/7/8"));
  EXPECT_FALSE(CheckJolietPath("1/2/3/4/5/6/7/8/9"));
}

TEST(ArchiveNames, LabelsThatStayAsTheyAre) {
  for (const char* label : {"config-2", "cidata", "PROVISION", "a", "x.y_z-0123456789"})
    EXPECT_TRUE(CheckVolumeLabel(label));
  for (const char* label : {"", "seventeen--------", "with blank", "sl/ash", "\xC3\xBC"}) {
    const auto refused = CheckVolumeLabel(label);
    ASSERT_FALSE(refused) << label;
    EXPECT_EQ(refused.error().code, Code::kUsage);
  }
}

TEST(ArchiveNames, TimesWithinTheFormats) {
  for (const std::int64_t time : {0LL, 315532800LL, 4354819199LL}) EXPECT_TRUE(CheckArchiveTime(time)) << time;
  for (const std::int64_t time : {-1LL, 4354819200LL}) EXPECT_FALSE(CheckArchiveTime(time)) << time;
}

TEST(Normalise, RefusesWhatIsNoImage) {
  for (const std::size_t size : {0U, 100U, 34816U, 100000U}) {
    std::string bytes(size, '\0');
    EXPECT_EQ(NormaliseIso(bytes, 0, "X").error().code, Code::kInternal) << size;
    EXPECT_EQ(NormaliseZip(bytes, 0).error().code, Code::kInternal) << size;
  }
}

// A volume descriptor whose root folder is the given sector of an image of 20.
std::string Image(unsigned char root_sector) {
  std::string out(20 * 2048, '\0');
  out.replace(16 * 2048, 6, std::string("\1CD001"));
  out[16 * 2048 + 156 + 2] = static_cast<char>(root_sector);
  out[16 * 2048 + 156 + 11] = 8;  // 2048 bytes
  out.replace(17 * 2048, 6, std::string("\xFF") + "CD001");
  return out;
}

TEST(Normalise, DatesOfTheVolumeAndItsRoot) {
  std::string image = Image(18);
  ASSERT_TRUE(NormaliseIso(image, 951782400, "config-2"));
  EXPECT_EQ(image.substr(16 * 2048 + 813, 17), std::string("2000022900000000") + '\0');
  EXPECT_EQ(image.substr(16 * 2048 + 156 + 18, 7), std::string("\x64\2\x1D\0\0\0\0", 7));
  EXPECT_EQ(image.substr(16 * 2048 + 40, 32), "config-2" + std::string(24, ' '));
}

TEST(Normalise, WhatLeadsOutOfTheImageOrInACircleIsRefused) {
  std::string outside = Image(20);
  EXPECT_FALSE(NormaliseIso(outside, 0, "X"));
  std::string circle = Image(18);
  std::string record(36, '\0');
  record[0] = 36;
  record[2] = 18;
  record[11] = 8;
  record[25] = 2;
  record[32] = 1;
  record[33] = 'A';
  circle.replace(18 * 2048, record.size(), record);
  EXPECT_FALSE(NormaliseIso(circle, 0, "X"));
  circle[18 * 2048 + 25] = 0;  // a file
  EXPECT_TRUE(NormaliseIso(circle, 0, "X"));
}

TEST(Normalise, ADirectoryOfAnArchiveThatLiesIsRefused) {
  std::string zip("PK\5\6\0\0\0\0\1\0\1\0\x2E\0\0\0\0\0\0\0\0\0", 22);
  EXPECT_FALSE(NormaliseZip(zip, 315532800));  // one entry, and none is there
  zip[8] = zip[10] = 0;
  EXPECT_TRUE(NormaliseZip(zip, 315532800));
  zip[10] = zip[11] = '\xFF';
  EXPECT_EQ(ErrorIn(NormaliseZip(zip, 315532800)).code, Code::kSizeLimit);
}

}  // namespace
}  // namespace prov::images
