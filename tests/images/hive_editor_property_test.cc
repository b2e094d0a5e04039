// Properties of the hive editor over random trees and edits. tests/fuzz/hive_editor_fuzz.cc has damaged hives.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace prov::images
