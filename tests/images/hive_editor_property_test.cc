// Properties of the hive editor over random trees and edits. tests/fuzz/hive_editor_fuzz.cc has damaged hives.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "images/registry/hive_writer.h"
#include "tests/fuzz/hive_edits.h"
#include "tests/images/hive_editor_util.h"
#include "tests/support/amount.h"

namespace prov::images {
namespace {

using testing::Canonical;
using testing::Patch;

// What tests/fuzz/hive_edits.h makes of a strict hive by chance; the cells of all other keys are the same bytes.
std::string Edited(const std::string& hive, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string script(20 + random() % 100, '\0');
  for (char& c : script) c = static_cast<char>(random());
  const std::optional<std::string> edited = fuzz::CheckEdits(hive, script);
  EXPECT_TRUE(edited) << "strict hives are edited";
  if (!edited) return hive;
  testing::ExpectUntouched(hive, *edited,
                           {hive, Canonical(ReadHive(hive).value()), Canonical(ReadHive(*edited).value())});
  return *edited;
}

TEST(HiveEditorProperties, RandomEditsOfRandomTrees) {
  for (std::uint32_t seed = 1; seed <= testing_support::Amount(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Edited(WriteHive(testing::RandomTree(seed, 4).Make(), {}).value(), seed);
  }
}

// Several rounds, each on what the last one gave: freed cells and appended bins everywhere.
TEST(HiveEditorProperties, EditsOfEditedHives) {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::string hive = WriteHive(testing::RandomTree(seed, 3).Make(), {}).value();
    for (std::uint32_t round = 1; round <= 12; ++round) hive = Edited(hive, seed * 100 + round);
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
    std::string hive = Patch(WriteHive(small, {}).value()).SetBase32(24, minor).Done();
    for (std::uint32_t round = 1; round <= 8; ++round) hive = Edited(hive, minor * 100 + round);
  }
}

}  // namespace
}  // namespace prov::images
