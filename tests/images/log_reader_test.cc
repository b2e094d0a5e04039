#include "images/registry/log_reader.h"

#include <gmock/gmock.h>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_log.h"

namespace prov::images::regf {
namespace {

using ::testing::HasSubstr;
using testing_support::LogEntryOf;
using testing_support::LogHeader;
using testing_support::SealedEntry;

const std::string& EmptyHive() {
  static const std::string hive = WriteHive(testing::Key(""), {}).value();
  return hive;
}

std::string Page(char c, std::size_t bytes = 4096) { return std::string(bytes, c); }

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

TEST(LogReader, ReadsEntriesInTheirOrder) {
  const std::string log = LogHeader(EmptyHive(), 7) +
                          LogEntryOf(7, 0x5000, {{0, Page('a')}, {0x3000, Page('b', 8192)}}, 1) +
                          LogEntryOf(8, 0x6000, {{0x5000, Page('c')}});
  const auto read = ReadLog(log);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->first, 7U);
  EXPECT_EQ(read->minor, 5U);
  EXPECT_EQ(read->root, kRootOffset);
  ASSERT_EQ(read->entries.size(), 2U);
  const LogEntry& first = read->entries[0];
  EXPECT_EQ(first.sequence, 7U);
  EXPECT_EQ(first.flags, 1U);
  EXPECT_EQ(first.bins_bytes, 0x5000U);
  ASSERT_EQ(first.pages.size(), 2U);
  EXPECT_EQ(first.pages[0].offset, 0U);
  EXPECT_EQ(first.pages[0].bytes, Page('a'));
  EXPECT_EQ(first.pages[1].offset, 0x3000U);
  EXPECT_EQ(first.pages[1].bytes, Page('b', 8192));
  EXPECT_EQ(read->entries[1].sequence, 8U);
  EXPECT_EQ(read->entries[1].bins_bytes, 0x6000U);
}

TEST(LogReader, WhatAnEarlierSessionLeftIsNotRead) {
  const std::string log = LogHeader(EmptyHive(), 7) + LogEntryOf(7, 0x5000, {{0, Page('a')}}) +
                          LogEntryOf(4, 0x5000, {{0, Page('b')}}) + LogEntryOf(5, 0x5000, {{0, Page('c')}});
  EXPECT_EQ(ReadLog(log)->entries.size(), 1U);
  EXPECT_EQ(ReadLog(log.substr(0, 512) + LogEntryOf(8, 0x5000, {{0, Page('a')}}))->entries.size(), 0U);
}

TEST(LogReader, NumbersWrapAround) {
  const std::string log = LogHeader(EmptyHive(), 0xFFFFFFFF) + LogEntryOf(0xFFFFFFFF, 0x5000, {{0, Page('a')}}) +
                          LogEntryOf(0, 0x5000, {{0, Page('b')}});
  EXPECT_EQ(ReadLog(log)->entries.size(), 2U);
}

// Each byte of an entry counts: those of the header for one hash, all behind it for the other.
TEST(LogReader, AnEntryThatIsNotWholeEndsTheLog) {
  const std::string start = LogHeader(EmptyHive(), 7) + LogEntryOf(7, 0x5000, {{0, Page('a')}});
  const std::string entry = LogEntryOf(8, 0x5000, {{0x1000, Page('b')}});
  const std::string end = LogEntryOf(9, 0x5000, {{0, Page('c')}});
  ASSERT_EQ(ReadLog(start + entry + end)->entries.size(), 3U);
  for (std::size_t at = 0; at < entry.size(); ++at) {
    std::string damaged = entry;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_EQ(ReadLog(start + damaged + end)->entries.size(), 1U) << "byte " << at;
  }
  for (std::size_t size = 0; size < entry.size(); size += 7)
    EXPECT_EQ(ReadLog(start + entry.substr(0, size))->entries.size(), 1U) << size << " bytes";
}

TEST(LogReader, AnEntryThatContradictsItselfEndsTheLog) {
  const std::string whole = LogEntryOf(7, 0x5000, {{0x1000, Page('a')}});
  ASSERT_EQ(ReadLog(LogHeader(EmptyHive(), 7) + whole)->entries.size(), 1U);
  struct Case {
    const char* what;
    std::size_t at;
    std::uint32_t value;
  };
  for (const Case& c : {Case{"no page", 20, 0},
                        {"more pages than it has room for", 20, 2},
                        {"pages without end", 20, 0xFFFFFFFF},
                        {"no bins", 16, 0},
                        {"part of a bin", 16, 0x5200},
                        {"a page behind the bins", 40, 0x5000},
                        {"a page across their end", 40, 0x4200},
                        {"a page that is far away", 40, 0xFFFFFE00},
                        {"a page at an odd place", 40, 0x1001},
                        {"an empty page", 44, 0},
                        {"a page of an odd size", 44, 0x801},
                        {"a page larger than the entry", 44, 0x2000},
                        {"an endless page", 44, 0xFFFFFE00},
                        {"a size of nothing", 4, 0},
                        {"a size below a sector", 4, 40},
                        {"a size above the file's", 4, 0x100000},
                        {"an odd size", 4, 0x1201}}) {
    std::string entry = whole;
    Store32(&entry[c.at], c.value);
    EXPECT_EQ(ReadLog(LogHeader(EmptyHive(), 7) + SealedEntry(entry))->entries.size(), 0U) << c.what;
  }
}

TEST(LogReader, SaysWhatIsNoLogOfThisFormat) {
  const std::string good = LogHeader(EmptyHive(), 7);
  EXPECT_TRUE(ReadLog(good));
  const auto with = [&](std::size_t at, std::uint32_t value) {
    std::string log = good;
    Store32(&log[at], value);
    Store32(&log[508], BaseBlockChecksum(log));
    return log;
  };
  struct Case {
    std::string log;
    const char* message;
  };
  std::string damaged = good;
  damaged[100] = 'x';
  for (const Case& c : {Case{"", "is empty"},
                        {std::string(512, '\0'), "not a log of a hive"},
                        {"regf", "not a log of a hive"},
                        {good.substr(0, 511), "not a log of a hive"},
                        {damaged, "checksum"},
                        {with(28, 1), "before Windows 8.1"},
                        {with(28, 2), "before Windows 8.1"},
                        {with(28, 0), "unknown format (0)"},
                        {with(20, 2), "unknown format"},
                        {with(8, 8), "sequence numbers differ"}}) {
    const auto read = ReadLog(c.log);
    ASSERT_FALSE(read) << c.message;
    EXPECT_EQ(read.error().code, Code::kDirtyHive);
    EXPECT_THAT(read.error().message, HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace prov::images::regf
