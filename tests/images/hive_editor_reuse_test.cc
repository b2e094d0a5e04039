// What the editor does with free cells: it fills them, merges them, and leaves everything else alone.
#include <gtest/gtest.h>

#include <cstdio>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_editor_util.h"
#include "tests/support/amount.h"

namespace prov::images {
namespace {

using testing::Canonical;
using testing::FindCell;
using testing::kEditTime;
using testing::Key;
using testing::Patch;
using testing::Value;

struct FreeSpace {
  std::size_t cells = 0;
  std::size_t adjacent = 0;  // begin where another one ends
};
FreeSpace FreeSpaceOf(const std::string& hive) {
  FreeSpace out;
  std::uint32_t end = 0;
  regf::ForEachCell(std::string_view(hive).substr(4096), [&](std::uint32_t at, std::uint32_t bytes, bool in_use) {
    if (in_use) return;
    ++out.cells;
    if (at == end) ++out.adjacent;
    end = at + bytes;
  });
  return out;
}

// After the edits; the hive must be sound and have no free cells side by side.
std::string FinishedWithoutGaps(HiveEditor& editor) {
  const std::string out = testing::Finished(editor);
  if (!out.empty()) {
    EXPECT_EQ(FreeSpaceOf(out).adjacent, 0U);
  }
  return out;
}

RegKey ServicesTree() {
  RegKey root = Key("", {Value("r", RegType::kSz, EncodeSz("root"))}, {Key("Services"), Key("Store")});
  for (int i = 0; i < 300; ++i) {
    root.subkeys[0].subkeys.push_back(
        Key(fmt::format("Service{}", i * 7919 % 300),
            {Value("ImagePath", RegType::kExpandSz, std::string(static_cast<std::size_t>(i % 90), 'p')),
             Value("Start", RegType::kDword, EncodeDword(2))}));
  }
  return root;
}

TEST(HiveEditorReuse, AHundredRoundsDoNotGrowTheHive) {
  const std::string original = WriteHive(ServicesTree(), {}).value();
  const RegKey before = Canonical(ReadHive(original).value());
  std::string hive = original;
  std::size_t after_two = 0;
  for (std::uint32_t round = 0; round < testing_support::Amount(100); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    HiveEditor apply = HiveEditor::Open(hive).value();
    for (std::uint32_t i = 0; i < 40; ++i) {
      const std::string blob((i * 977 + round * 31) % (i == 0 ? 40000 : 2500), 'b');
      ASSERT_TRUE(apply.Set(fmt::format("Store\\Certificate{}", i), Value("Blob", RegType::kBinary, blob)));
    }
    const std::string text(round % 200, 't');
    ASSERT_TRUE(apply.Set("Services\\Service5", Value("Environment", RegType::kMultiSz, text)));
    ASSERT_TRUE(apply.Set("Services\\Service9", Value("Start", RegType::kSz, text)));
    ASSERT_TRUE(apply.Set(fmt::format("Services\\New{}", round), Value("v", RegType::kSz, text)));
    ASSERT_TRUE(apply.SetSecurity("Services\\Service7", SystemAdminsDescriptor()));
    hive = FinishedWithoutGaps(apply);

    HiveEditor remove = HiveEditor::Open(hive).value();
    for (std::uint32_t i = 0; i < 40; ++i) {
      ASSERT_TRUE(remove.DeleteValue(fmt::format("Store\\Certificate{}", i), "Blob"));
      ASSERT_TRUE(remove.DeleteKeyIfEmpty(fmt::format("Store\\Certificate{}", i)));
    }
    ASSERT_TRUE(remove.DeleteValue("Services\\Service5", "Environment"));
    ASSERT_TRUE(remove.Set("Services\\Service9", Value("Start", RegType::kDword, EncodeDword(2))));
    ASSERT_TRUE(remove.DeleteValue(fmt::format("Services\\New{}", round), "v"));
    ASSERT_TRUE(remove.DeleteKeyIfEmpty(fmt::format("Services\\New{}", round)));
    ASSERT_TRUE(remove.SetSecurity("Services\\Service7", SystemAdminsUsersDescriptor()));
    hive = FinishedWithoutGaps(remove);
    if (HasFailure()) return;
    if (round == 1) after_two = hive.size();
  }
  const RegKey after = Canonical(ReadHive(hive).value());
  EXPECT_TRUE(after == before);
  std::printf("%zu bytes, after two rounds %zu, in the end %zu\n", original.size(), after_two, hive.size());
  EXPECT_LE(hive.size(), after_two + 16384);
  // Only these keys were ever edited: whatever stayed of the others is where it was.
  RegKey edited = before;
  for (RegKey& key : edited.subkeys) {
    if (key.name == "STORE" || key.name == "SERVICES") key.subkeys.push_back(Key("EDITED"));
    for (RegKey& subkey : key.subkeys) {
      if (subkey.name == "SERVICE5" || subkey.name == "SERVICE9" || subkey.name == "SERVICE7")
        subkey.values.push_back(Value("EDITED", RegType::kNone, ""));
    }
  }
  EXPECT_GT(testing::ExpectUntouched(original, hive, {original, before, edited}), 1400U);
}

TEST(HiveEditorReuse, WhatFitsIntoFreeCellsNeedsNoBin) {
  const std::string hive = WriteHive(ServicesTree(), {}).value();
  HiveEditor removal = HiveEditor::Open(hive).value();
  for (const char* name : {"ImagePath", "Start"}) ASSERT_TRUE(removal.DeleteValue("Services\\Service1", name));
  ASSERT_TRUE(removal.DeleteKeyIfEmpty("Services\\Service1"));
  const std::string removed = FinishedWithoutGaps(removal);
  EXPECT_EQ(removed.size(), hive.size()) << "the shorter list, too, is where something was free";
  HiveEditor addition = HiveEditor::Open(removed).value();
  ASSERT_TRUE(addition.Set("Services\\Service1", Value("ImagePath", RegType::kExpandSz, "p")));
  ASSERT_TRUE(addition.Set("Services\\Service1", Value("Start", RegType::kDword, EncodeDword(2))));
  EXPECT_EQ(FinishedWithoutGaps(addition).size(), hive.size());
}

// A cell that is filled again must not show what was in it.
TEST(HiveEditorReuse, RemnantsInFreeCellsAreWiped) {
  std::string hive = WriteHive(Key("", {}, {Key("Alpha")}), {}).value();
  std::size_t begin = 0;
  regf::ForEachCell(std::string_view(hive).substr(4096), [&](std::uint32_t at, std::uint32_t bytes, bool in_use) {
    if (in_use) return;
    begin = 4096 + at;
    std::fill_n(hive.begin() + static_cast<std::ptrdiff_t>(begin) + 4, bytes - 4, '#');
  });
  HiveEditor editor = HiveEditor::Open(hive).value();
  ASSERT_TRUE(editor.Set("Beta", Value("v", RegType::kBinary, "data of ours")));
  const std::string after = FinishedWithoutGaps(editor);
  EXPECT_EQ(after.size(), hive.size());
  std::size_t in_use_bytes = 0;
  regf::ForEachCell(std::string_view(after).substr(4096), [&](std::uint32_t at, std::uint32_t bytes, bool in_use) {
    if (!in_use || 4096 + at < begin) return;
    in_use_bytes += bytes;
    EXPECT_EQ(after.substr(4096 + at, bytes).find('#'), std::string::npos) << at;
  });
  EXPECT_GT(in_use_bytes, 60U);
  EXPECT_NE(after.find("####"), std::string::npos) << "free cells keep their bytes";
}

TEST(HiveEditorReuse, FreeCellsSideBySideBecomeOne) {
  std::string hive = WriteHive(Key("", {}, {Key("Alpha")}), {}).value();
  std::size_t begin = 0;
  std::uint32_t size = 0;
  regf::ForEachCell(std::string_view(hive).substr(4096), [&](std::uint32_t at, std::uint32_t bytes, bool in_use) {
    if (!in_use) begin = 4096 + at, size = bytes;
  });
  regf::Store32(&hive[begin], 64);
  regf::Store32(&hive[begin + 64], 8);
  regf::Store32(&hive[begin + 72], size - 72);
  ASSERT_TRUE(CheckHive(hive));
  ASSERT_EQ(FreeSpaceOf(hive).adjacent, 2U);
  HiveEditor editor = HiveEditor::Open(hive).value();
  ASSERT_TRUE(editor.Set("Beta", Value("v", RegType::kBinary, std::string(1000, 'd'))));
  const std::string after = FinishedWithoutGaps(editor);
  EXPECT_EQ(after.size(), hive.size());
  EXPECT_EQ(FreeSpaceOf(after).cells, 1U);
}

// Some readers take the segments of a value in the order of their offsets.
TEST(HiveEditorReuse, SegmentsStayInOrder) {
  RegKey root;
  for (int i = 0; i < 6; ++i)
    root.values.push_back(
        Value(fmt::format("v{}", i), RegType::kBinary, std::string(40000, static_cast<char>('a' + i))));
  HiveEditor editor = HiveEditor::Open(WriteHive(root, {}).value()).value();
  for (const char* name : {"v1", "v3", "v5"}) ASSERT_TRUE(editor.DeleteValue("", name));
  ASSERT_TRUE(editor.Set("", Value("v2", RegType::kBinary, std::string(160000, 'z'))));
  const std::string after = FinishedWithoutGaps(editor);
  int records = 0;
  for (std::uint32_t cell = 0; (cell = FindCell(after, "db", records)) != regf::kNil; ++records) {
    const std::size_t count = regf::Load16(after, 4096 + cell + 6);
    const std::uint32_t list = regf::Load32(after, 4096 + cell + 8);
    std::uint32_t previous = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t segment = regf::Load32(after, 4096 + list + 4 + 4 * i);
      EXPECT_GT(segment, previous);
      previous = segment;
    }
  }
  EXPECT_EQ(records, 3);
}

// The cell of a descriptor that leaves the ring may be filled by something else.
TEST(HiveEditorReuse, TheCellOfADescriptorThatGoes) {
  RegKey root = Key("", {}, {Key("Alpha"), Key("Beta")});
  root.subkeys[0].security = SystemAdminsDescriptor();
  HiveEditor editor = HiveEditor::Open(WriteHive(root, {}).value()).value();
  ASSERT_TRUE(editor.SetSecurity("Alpha", SystemAdminsUsersDescriptor()));
  const std::string data(SystemAdminsDescriptor().size() + 20, 'x');  // as long as that cell
  ASSERT_TRUE(editor.Set("Beta", Value("v", RegType::kBinary, data)));
  const std::string after = FinishedWithoutGaps(editor);
  EXPECT_EQ(FindCell(after, "sk", 1), regf::kNil);
  EXPECT_NE(FindCell(after, data), regf::kNil);
}

}  // namespace
}  // namespace prov::images
