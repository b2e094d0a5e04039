#include "images/registry/marvin32.h"

#include <gtest/gtest.h>

namespace prov::images::regf {
namespace {

// Published values of the algorithm.
TEST(Marvin32, GivesThePublishedValues) {
  constexpr std::uint64_t kSeed = 0x004FB61A001BDBCC;
  EXPECT_EQ(Marvin32("", kSeed), 0x30ED35C100CD3C7D);
  EXPECT_EQ(Marvin32("\xAF", kSeed), 0x48E73FC77D75DDC1);
  EXPECT_EQ(Marvin32("\xE7\x0F", kSeed), 0xB5F6E1FC485DBFF8);
  EXPECT_EQ(Marvin32("\x37\xF4\x95", kSeed), 0xF0B07C789B8CF7E8);
  EXPECT_EQ(Marvin32("\x86\x42\xDC\x59", kSeed), 0x7008F2E87E9CF556);
  EXPECT_EQ(Marvin32("\x15\x3F\xB7\x98\x26", kSeed), 0xE6C08C6DA2AFA997);
  EXPECT_EQ(Marvin32("\x09\x32\xE6\x24\x6C\x47", kSeed), 0x6F04BF1A5EA24060);
  EXPECT_EQ(Marvin32("\xAB\x42\x7E\xA8\xD1\x0F\xC7", kSeed), 0xE11847E4F0678C41);
}

TEST(Marvin32, LogsHaveASeedOfTheirOwn) { EXPECT_EQ(Marvin32("HvLE"), Marvin32("HvLE", 0x82EF4D887A4E55C5)); }

}  // namespace
}  // namespace prov::images::regf
