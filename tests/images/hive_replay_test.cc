#include "images/registry/hive_replay.h"

#include <gmock/gmock.h>

#include <random>

#include "images/registry/hive_cells.h"
#include "tests/images/hive_history.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"
#include "tests/support/result.h"

namespace prov::images {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::History;
using testing::kHistoryTime;
using testing::Patch;
using testing::Value;
using testing_support::BinsBytes;
using testing_support::ChangedPages;
using testing_support::FlushOf;
using testing_support::LogEntryOf;
using testing_support::LogHeader;
using testing_support::SealedEntry;
using testing_support::WithNumbers;

std::string Replayed(const std::string& hive, const HiveLogs& logs) {
  auto replayed = ReplayLogs(hive, logs);
  EXPECT_TRUE(replayed) << replayed.error().message;
  return replayed ? std::move(replayed->bytes) : std::string();
}

// Why it can't be done.
std::string ReplayRefusal(const std::string& hive, const HiveLogs& logs, Code code = Code::kDirtyHive) {
  const auto replayed = ReplayLogs(hive, logs);
  EXPECT_FALSE(replayed);
  if (replayed) return "replayed";
  EXPECT_EQ(replayed.error().code, code) << replayed.error().message;
  return replayed.error().message;
}

TEST(HiveReplay, OnlyAHiveWhoseNumbersDifferIsDirty) {
  const History history(1);
  EXPECT_TRUE(IsDirtyHive(history.Dirty()));
  EXPECT_FALSE(IsDirtyHive(history.Last()));
  EXPECT_FALSE(IsDirtyHive(""));
  EXPECT_FALSE(IsDirtyHive(history.Log()));
  std::string damaged = history.Dirty();
  damaged[100] = 'x';
  EXPECT_FALSE(IsDirtyHive(damaged));
}

TEST(HiveReplay, GivesTheStateAfterTheLastFlushHoweverTheLogsShareTheEntries) {
  const History history(6);
  const std::string dirty = history.Dirty();
  for (std::size_t cut = 1; cut <= 6; ++cut) {
    const std::string early = history.Log(0, cut);
    const std::string late = history.Log(cut, 6);
    for (const HiveLogs& logs : {HiveLogs{early, late}, HiveLogs{late, early}}) {
      const auto replayed = Must(ReplayLogs(dirty, logs));
      EXPECT_EQ(replayed.bytes, history.Last()) << "also its header, which is one number further than the last entry";
      EXPECT_EQ(replayed.entries, 6U);
      EXPECT_EQ(replayed.first, 100U);
      EXPECT_EQ(replayed.last, 105U);
    }
  }
  EXPECT_EQ(Replayed(dirty, {history.Log(), std::nullopt}), history.Last());
  EXPECT_EQ(Replayed(dirty, {std::nullopt, history.Log()}), history.Last());
  EXPECT_EQ(Replayed(dirty, {history.Log(), ""}), history.Last());
}

TEST(HiveReplay, TheResultIsAHiveThatIsReadAndEdited) {
  const History history(4);
  const std::string hive = Replayed(history.Dirty(), {history.Log(0, 2), history.Log(2, 4)});
  EXPECT_FALSE(IsDirtyHive(hive));
  Must(CheckHive(hive));
  HiveEditor editor = HiveEditor::Open(hive).value();
  EXPECT_EQ(editor.Read("Ours", "newest").value().value().data, EncodeDword(3));
  ASSERT_TRUE(editor.Set("Ours", Value("edited", RegType::kDword, EncodeDword(1))));
  const std::string edited = editor.Finish(kHistoryTime).value();
  EXPECT_TRUE(CheckHive(edited));
  // Windows then takes neither of the logs: they begin before the hive's second number.
  const std::string used_again = WithNumbers(edited, regf::Load32(edited, 4) + 1, regf::Load32(edited, 4));
  EXPECT_THAT(ReplayRefusal(used_again, {history.Log(0, 2), history.Log(2, 4)}),
              AllOf(HasSubstr("LOG1 is older than the hive (it begins with entry 100)"),
                    HasSubstr("LOG2 is older than the hive (it begins with entry 102)")));
}

TEST(HiveReplay, NumbersWrapAround) {
  const History history(6, 0xFFFFFFFD);
  for (std::size_t cut = 1; cut < 6; ++cut)
    EXPECT_EQ(Replayed(history.Dirty(), {history.Log(cut, 6), history.Log(0, cut)}), history.Last());
}

// Power fails while a flush is written: the flushes before it count.
TEST(HiveReplay, AFlushThatWasCutOffNeverWas) {
  const History history(3);
  const std::string log = history.Log();
  std::vector<std::size_t> ends = {512};
  for (std::size_t i = 0; i < 3; ++i) ends.push_back(ends.back() + history.Entry(i).size());
  for (std::size_t size = ends[1]; size < log.size(); size += 97) {
    const std::size_t whole = size < ends[2] ? 1 : 2;
    EXPECT_EQ(Replayed(history.Dirty(), {log.substr(0, size), std::nullopt}), history.State(whole)) << size;
    std::string rest_is_old = log;
    rest_is_old.replace(size, std::string::npos, log.size() - size, 'o');
    EXPECT_EQ(Replayed(history.Dirty(), {rest_is_old, std::nullopt}), history.State(whole)) << size;
  }
  EXPECT_EQ(Replayed(history.Dirty(), {history.Log(0, 2), history.Log(2, 2)}), history.State(2)) << "first of a log";
}

// While the pages go from the logs to the file, the file holds some of all of them.
TEST(HiveReplay, AFileThatWasBeingWrittenIsPutRight) {
  const History history(4);
  std::string half = WithNumbers(history.State(0), 104, 100);
  for (const testing_support::HivePage& page : ChangedPages(history.State(0), history.Last())) {
    const std::size_t at = 4096 + page.offset;
    if (at + page.bytes.size() <= half.size())
      half.replace(at, page.bytes.size() / 2, page.bytes.substr(0, page.bytes.size() / 2));
  }
  EXPECT_EQ(Replayed(half, {history.Log(0, 3), history.Log(3, 4)}), history.Last());
}

// Windows writes what the older log holds to the bins, and not the header, before it uses that log again.
TEST(HiveReplay, TheFirstEntryMayHaveAHigherNumberThanTheHive) {
  const History history(6);
  const std::string partly = history.Dirty().substr(0, 4096) + history.State(4).substr(4096);
  EXPECT_EQ(Replayed(partly, {history.Log(4, 6), history.Log(2, 4)}), history.Last());
}

TEST(HiveReplay, AnOlderLogIsNotUsed) {
  const History history(6);
  const std::string dirty = WithNumbers(history.State(3), 104, 103);
  EXPECT_EQ(Replayed(dirty, {history.Log(0, 3), history.Log(3, 6)}), history.Last());
  EXPECT_EQ(Replayed(dirty, {history.Log(3, 6), history.Log(0, 6)}), history.Last());
  EXPECT_EQ(Replayed(history.Dirty(), {history.Log(), history.Log(1, 3)}), history.Last()) << "it holds nothing new";
}

TEST(HiveReplay, MissingEntriesAreNotPassedOver) {
  const History history(6);
  EXPECT_THAT(ReplayRefusal(history.Dirty(), {history.Log(0, 2), history.Log(3, 6)}),
              HasSubstr("entries 102 to 102 are missing or damaged, and LOG2 goes on behind them"));
  std::string damaged = history.Log(0, 3);
  damaged[damaged.size() - 600] = static_cast<char>(damaged[damaged.size() - 600] ^ 1);
  EXPECT_THAT(ReplayRefusal(history.Dirty(), {history.Log(3, 6), damaged}),
              HasSubstr("entries 102 to 102 are missing or damaged, and LOG1 goes on behind them"));
  EXPECT_THAT(ReplayRefusal(history.Dirty(), {history.Log(0, 0), history.Log(3, 6)}), HasSubstr("entries 100 to 102"));
  EXPECT_THAT(ReplayRefusal(history.Dirty(), {history.Log(0, 3), history.Log(2, 6)}),
              HasSubstr("both hold an entry 102"));
  EXPECT_THAT(ReplayRefusal(WithNumbers(history.State(0), 105, 100), {history.Log(0, 3), std::nullopt}),
              HasSubstr("they end with entry 102, and the hive had got to 104"));
  EXPECT_THAT(ReplayRefusal(history.Dirty(), {history.Log(0, 0), ""}),
              HasSubstr("entry 100, the first one, is damaged"));
}

TEST(HiveReplay, ARefusalNamesBothLogsAndBothWaysOut) {
  const History history(1);
  std::string old_format = history.Log();
  regf::Store32(&old_format[28], 1);
  old_format = WithNumbers(old_format, 100, 100);
  const std::string message = ReplayRefusal(history.Dirty(), {old_format, std::nullopt});
  EXPECT_THAT(message, HasSubstr("not closed cleanly (sequence numbers 101 and 100)"));
  EXPECT_THAT(message,
              HasSubstr("LOG1 is of the format before Windows 8.1, which is not replayed here, LOG2 is not there"));
  EXPECT_THAT(message, HasSubstr("shut it down fully"));
  EXPECT_THAT(message, AllOf(HasSubstr("reg load"), HasSubstr("reg unload")));
  std::string damaged = history.Log();
  damaged[60] = 'x';
  EXPECT_THAT(ReplayRefusal(history.Dirty(), {"", damaged}), HasSubstr("LOG1 is empty, LOG2 has a damaged header"));
}

TEST(HiveReplay, ALogOfAnotherHiveIsRefused) {
  const History history(2);
  for (const auto& [at, value] : {std::pair<std::size_t, std::uint32_t>{24, 3}, {36, 0x40}}) {
    std::string other = history.Log();
    regf::Store32(&other[at], value);
    other = WithNumbers(other, 100, 100);
    EXPECT_THAT(ReplayRefusal(history.Dirty(), {other, std::nullopt}), HasSubstr("LOG1 belongs to another hive"));
  }
}

TEST(HiveReplay, ADamagedHeaderIsRefused) {
  const History history(2);
  const HiveLogs logs{history.Log(), std::nullopt};
  EXPECT_THAT(ReplayRefusal(history.Dirty().substr(0, 9000), logs, Code::kHive), HasSubstr("cut short"));
  EXPECT_THAT(ReplayRefusal(Patch(history.Dirty()).SetBase32(40, 0x5001).Done(), logs, Code::kHive),
              HasSubstr("multiple"));
  EXPECT_THAT(ReplayRefusal(history.Last(), logs, Code::kInternal), HasSubstr("not closed cleanly"));
}

TEST(HiveReplay, TheFlagOfPendingTransactionsIsTheLastEntrys) {
  const History history(1);
  const auto replay = [&](std::uint32_t in_hive, std::uint32_t in_entry) {
    const std::string entry =
        LogEntryOf(100, BinsBytes(history.Last()), ChangedPages(history.State(0), history.Last()), in_entry);
    const std::string hive = Patch(history.Dirty()).SetBase32(144, in_hive).Done();
    return regf::Load32(Replayed(hive, {LogHeader(hive, 100) + entry, std::nullopt}), 144);
  };
  EXPECT_EQ(replay(0, 1), 1U);
  EXPECT_EQ(replay(3, 0), 2U);
  EXPECT_EQ(replay(2, 3), 3U);
  EXPECT_EQ(replay(0, 2), 0U) << "an entry carries no other";
}

TEST(HiveReplay, WhatLiesBehindTheBinsStays) {
  const History history(2);
  std::string dirty = history.Dirty();
  dirty.resize(dirty.size() + 0x40000, 's');
  const std::string hive = Replayed(dirty, {history.Log(), std::nullopt});
  EXPECT_EQ(hive.substr(0, history.Last().size()), history.Last());
  EXPECT_EQ(hive.substr(history.Last().size()), dirty.substr(history.Last().size())) << "room of the file";
}

TEST(HiveReplay, AHiveMayShrink) {
  const History history(2);
  const std::string dirty = WithNumbers(history.Last(), 103, 102);
  const std::string log = LogHeader(dirty, 102) + FlushOf(102, history.Last(), history.State(0));
  const std::string hive = Replayed(dirty, {log, std::nullopt});
  EXPECT_EQ(BinsBytes(hive), BinsBytes(history.State(0)));
  EXPECT_EQ(ReadHive(hive).value(), ReadHive(history.State(0)).value());
}

// A small log can't make a large hive.
TEST(HiveReplay, WhatAnEntryAddsIsInItsPages) {
  const History history(1);
  const std::string dirty = history.Dirty();
  const auto replay = [&](std::uint32_t bins_bytes, const std::vector<testing_support::HivePage>& pages) {
    return ReplayRefusal(dirty, {LogHeader(dirty, 100) + LogEntryOf(100, bins_bytes, pages), std::nullopt});
  };
  const std::string page(4096, 'p');
  const std::uint32_t end = BinsBytes(dirty);
  EXPECT_THAT(replay(0x3FFFE000, {{0, page}}), HasSubstr("entry 100 lacks pages"));
  EXPECT_THAT(replay(0x3FFFE000, {{0x3FFFD000, page}}), HasSubstr("entry 100 lacks pages"));
  EXPECT_THAT(replay(end + 0x2000, {{0, page + page}, {end + 0x1000, page}}), HasSubstr("entry 100 lacks pages"));
  EXPECT_THAT(replay(0xFFFFF000, {{0, page}}), HasSubstr("1 GiB"));
}

// An error, or a hive with a whole header, whatever an entry says whose hashes are right.
TEST(HiveReplay, NoEntryMakesADamagedHeader) {
  const History history(3);
  const std::vector<std::string> entries = {history.Entry(0), history.Entry(1), history.Entry(2)};
  const std::string later = history.Log(1, 3);
  std::mt19937 random(20240917);
  int replays = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string entry = entries[random() % 3];
    for (std::size_t changes = random() % 4; changes > 0; --changes)
      entry[random() % 2 == 0 ? random() % 64 : random() % entry.size()] = static_cast<char>(random());
    regf::Store32(&entry[12], 100);
    const std::string log = LogHeader(history.State(0), 100) + SealedEntry(entry);
    const auto replayed = ReplayLogs(history.Dirty(), {log, later});
    if (!replayed) {
      EXPECT_EQ(replayed.error().code, Code::kDirtyHive);
      continue;
    }
    ++replays;
    EXPECT_LE(replayed->bytes.size(), history.Dirty().size() + log.size() + later.size());
    Must(regf::ReadBaseBlock(replayed->bytes));
  }
  EXPECT_GT(replays, 250);
}

}  // namespace
}  // namespace prov::images
