// Properties of the hive editor over random trees and edits, damaged hives, large ones and the optional shared samples.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_editor_util.h"
#include "tests/support/amount.h"

namespace prov::images {
namespace {

using testing::Canonical;
using testing::kEditTime;
using testing::Key;
using testing::Model;
using testing::Patch;
using testing::Value;

// Makes each value and key of `to` what it is there and takes away what is not.
void Bring(HiveEditor& editor, const std::string& path, const RegKey* from, const RegKey& to) {
  for (const RegValue& value : to.values) ASSERT_TRUE(editor.Set(path, value));
  for (const RegValue& value : from == nullptr ? std::vector<RegValue>() : from->values) {
    if (std::ranges::find(to.values, value.name, &RegValue::name) == to.values.end()) {
      ASSERT_TRUE(editor.DeleteValue(path, value.name));
    }
  }
  for (const RegKey& subkey : from == nullptr ? std::vector<RegKey>() : from->subkeys) {
    if (std::ranges::find(to.subkeys, subkey.name, &RegKey::name) != to.subkeys.end()) continue;
    Bring(editor, testing::Join(path, subkey.name), &subkey, {});
    ASSERT_TRUE(editor.DeleteKeyIfEmpty(testing::Join(path, subkey.name)));
  }
  for (const RegKey& subkey : to.subkeys) {
    const RegKey* old_key = nullptr;
    if (from != nullptr) {
      const auto found = std::ranges::find(from->subkeys, subkey.name, &RegKey::name);
      if (found != from->subkeys.end()) old_key = &*found;
    }
    const std::string name = testing::Join(path, subkey.name);
    if (subkey.values.empty()) {  // there is no other way to make a key that has none
      ASSERT_TRUE(editor.Set(name, Value("temporary", RegType::kNone, "")));
      ASSERT_TRUE(editor.DeleteValue(name, "temporary"));
    }
    Bring(editor, name, old_key, subkey);
  }
}

// Sets the descriptors of a tree with all of its keys.
void BringSecurity(HiveEditor& editor, const std::string& path, const RegKey& to, const std::string& inherited) {
  const std::string& own = to.security.empty() ? inherited : to.security;
  ASSERT_TRUE(editor.SetSecurity(path, own));
  for (const RegKey& subkey : to.subkeys) BringSecurity(editor, testing::Join(path, subkey.name), subkey, own);
}

// Everything that holds for edits of a hive that passes CheckHive.
void CheckEdits(const std::string& hive, std::uint32_t seed, unsigned edits) {
  const RegKey before = Canonical(ReadHive(hive).value());
  HiveEditor editor = HiveEditor::Open(hive).value();
  EXPECT_FALSE(editor.Changed());
  Model model(ReadHive(hive).value());
  testing::RandomEdits(seed, editor, model).Make(edits);
  if (::testing::Test::HasFatalFailure()) return;
  const RegKey wanted = Canonical(model.root());
  ASSERT_EQ(editor.Changed(), wanted != before);
  const Result<std::string> changed = editor.Finish(kEditTime);
  ASSERT_TRUE(changed) << changed.error().message << " at " << changed.error().where;

  const Result<void> checked = CheckHive(*changed);
  ASSERT_TRUE(checked) << checked.error().message << " at " << checked.error().where;
  ASSERT_TRUE(Canonical(ReadHive(*changed).value()) == wanted);
  testing::ExpectUntouched(hive, *changed, {hive, before, wanted});

  HiveEditor again = HiveEditor::Open(*changed).value();
  Bring(again, "", &wanted, wanted);
  BringSecurity(again, "", wanted, "");
  ASSERT_FALSE(again.Changed()) << "the second time there is nothing to do";
  ASSERT_EQ(again.Finish(kEditTime + 1).value(), *changed);

  HiveEditor back = HiveEditor::Open(*changed).value();
  Bring(back, "", &wanted, before);
  BringSecurity(back, "", before, "");
  const std::string restored = back.Finish(kEditTime + 2).value();
  ASSERT_TRUE(CheckHive(restored));
  ASSERT_TRUE(Canonical(ReadHive(restored).value()) == before);
}

TEST(HiveEditorProperties, RandomEditsOfRandomTrees) {
  for (std::uint32_t seed = 1; seed <= testing_support::Amount(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::string hive = WriteHive(testing::RandomTree(seed, 4).Make(), {}).value();
    CheckEdits(hive, seed, seed % 10 == 0 ? 300 : seed % 25);
    if (HasFatalFailure()) return;
  }
}

// Several rounds, each on what the last one gave: freed cells and appended bins everywhere.
TEST(HiveEditorProperties, EditsOfEditedHives) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    std::string hive = WriteHive(testing::RandomTree(seed, 3).Make(), {}).value();
    for (std::uint32_t round = 1; round <= 12; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
      CheckEdits(hive, seed * 100 + round, 20);
      if (HasFatalFailure()) return;
      HiveEditor editor = HiveEditor::Open(hive).value();
      Model model(ReadHive(hive).value());
      testing::RandomEdits(seed * 100 + round, editor, model).Make(20);
      hive = editor.Finish(kEditTime + round).value();
    }
  }
}

TEST(HiveEditorProperties, OldVersions) {
  for (const std::uint32_t minor : {3U, 4U, 6U}) {
    SCOPED_TRACE(minor);
    RegKey small = testing::RandomTree(minor, 3).Make();
    const auto cut = [](auto& self, RegKey& key) -> void {
      for (RegValue& value : key.values) value.data.resize(std::min<std::size_t>(value.data.size(), 16344));
      for (RegKey& subkey : key.subkeys) self(self, subkey);
    };
    cut(cut, small);
    // Lists of hashes are read in every version; those that change are written as the version has them.
    CheckEdits(Patch(WriteHive(small, {}).value()).SetBase32(24, minor).Done(), 77 + minor, 200);
    if (HasFatalFailure()) return;
  }
}

struct Damage {
  std::mt19937 random;
  std::string Do(std::string hive) {
    for (std::uint32_t changes = 1 + static_cast<std::uint32_t>(random() % 4); changes > 0; --changes) {
      const std::size_t range = random() % 3 == 0 ? hive.size() : std::min<std::size_t>(hive.size(), 4096 + 2048);
      const std::size_t at = 4096 + random() % (range - 4096);
      if (random() % 2 == 0) {
        regf::Store32(&hive[at / 4 * 4], static_cast<std::uint32_t>(random() % hive.size() / 8 * 8));
      } else {
        hive[at] =
            random() % 3 == 0 ? static_cast<char>(random()) : static_cast<char>(hive[at] ^ (1 << (random() % 8)));
      }
    }
    if (random() % 20 == 0) hive.resize(random() % hive.size());
    return hive.size() < 4096 ? hive : Patch(hive).Done();
  }
};

TEST(HiveEditorProperties, DamagedHivesAreRefusedOrKeepTheirContent) {
  constexpr std::uint32_t kSeed = 20261121;
  std::printf("seed %u\n", kSeed);
  Damage damage{std::mt19937(kSeed)};
  std::vector<std::string> originals;
  for (std::uint32_t seed = 300; seed < 308; ++seed)
    originals.push_back(WriteHive(testing::RandomTree(seed, 2).Make(), {}).value());
  std::uint32_t refused = 0;
  std::uint32_t edited = 0;
  for (std::uint32_t round = 0; round < testing_support::Amount(10'000); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::string hive = damage.Do(originals[damage.random() % originals.size()]);
    Result<HiveEditor> editor = HiveEditor::Open(hive);
    const bool clean = CheckHive(hive, {.allow_unreachable = true}).has_value();
    if (!editor) {
      ASSERT_FALSE(clean);
      ASSERT_TRUE(editor.error().code == Code::kHive || editor.error().code == Code::kDirtyHive);
      ASSERT_TRUE(editor.error().where.starts_with("offset 0x"));
      ++refused;
      continue;
    }
    const Result<RegKey> before = ReadHive(hive);
    ASSERT_TRUE(before) << "the editor trusts no more than the reader: " << before.error().message;
    Model model(*before);
    // A key that is there, a new one, one to delete, a descriptor.
    const std::string path = before->subkeys.empty() ? "" : before->subkeys[round % before->subkeys.size()].name;
    const RegValue value = Value("v", RegType::kBinary, std::string(round % 40, 'x'));
    const std::string new_path = testing::Join(path, "made by us");
    Result<void> done = editor->Set(path, value);
    if (done) done = editor->Set(new_path, value);
    if (done) done = editor->SetSecurity(path, SystemAdminsDescriptor());
    std::optional<std::string> deleted;
    const RegKey* const first = model.Find(path);
    if (first != nullptr && !first->values.empty()) deleted = first->values[0].name;
    if (done && deleted) done = editor->DeleteValue(path, *deleted);
    Result<std::string> changed = done ? editor->Finish(kEditTime) : std::unexpected(done.error());
    if (!changed) {
      ASSERT_EQ(changed.error().code, Code::kHive) << changed.error().message;
      ASSERT_FALSE(clean);
      ++refused;
      continue;
    }
    model.Set(path, value);
    model.Set(new_path, value);
    model.SetSecurity(path, SystemAdminsDescriptor());
    if (deleted) model.DeleteValue(path, *deleted);
    const Result<RegKey> after = ReadHive(*changed);
    ASSERT_TRUE(after) << after.error().message;
    ASSERT_TRUE(Canonical(*after) == Canonical(model.root()));
    if (clean) {
      ASSERT_TRUE(CheckHive(*changed, {.allow_unreachable = true}));
    }
    ++edited;
  }
  std::printf("%u refused, %u edited\n", refused, edited);
  EXPECT_GT(refused, testing_support::Amount(2000));
  EXPECT_GT(edited, testing_support::Amount(2000)) << "the damage must not be so coarse that nothing is edited";
}

}  // namespace
}  // namespace prov::images
