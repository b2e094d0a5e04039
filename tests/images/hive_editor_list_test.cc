// Lists of subkeys after edits: what was in them stays byte for byte, unless it was in
// another order.
#include <gtest/gtest.h>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_editor_util.h"

namespace prov::images {
namespace {

using testing::Key;
using testing::kRoot;
using testing::Patch;
using testing::Value;
using Entries = std::vector<std::string>;

constexpr const char* kService =
    "\xcf\x85\xcf\x80\xce\xb7\xcf\x81\xce\xb5\xcf\x83\xce\xaf\xce\xb1\xcf\x82";  // υπηρεσίας
constexpr const char* kSigma = "\xcf\x83";
constexpr const char* kFinalSigma = "\xcf\x82";

std::string HiveOf(const std::vector<std::string>& names) {
  RegKey root;
  for (const std::string& name : names) root.subkeys.push_back(Key(name));
  return WriteHive(root, {}).value();
}

// The root's list: kind, the hint's bytes (none in an li) and name of each entry.
Entries ListOf(const std::string& hive) {
  regf::CellMap cells = regf::CellMap::Make(hive).value();
  const regf::KeyRecord root = regf::ReadKey(cells, cells.base().root).value();
  Entries out;
  const std::vector<regf::SubkeyRef> refs = regf::ReadSubkeyList(cells, root).value();
  for (const regf::SubkeyRef& ref : refs) {
    const std::string name = regf::NameToUtf8(regf::ReadSubkey(cells, ref.key).value().name);
    char hint[4];
    regf::Store32(hint, ref.hint);
    out.push_back(fmt::format("{} {} {}", ref.kind, ref.kind == "li" ? "-" : ToHex(std::string_view(hint, 4)), name));
  }
  return out;
}

struct Entry {
  std::string name;
  std::uint32_t hint = 0;
};
// A hive whose root has just these subkeys, listed in this order with these hints, as another Windows wrote them.
std::string ListedAs(std::string_view kind, const std::vector<Entry>& entries, std::uint32_t minor = 5) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  const std::string hive = HiveOf(names);
  Patch patch(hive);
  const std::uint32_t list = patch.Get32(kRoot + 28) + 4;
  std::vector<std::uint32_t> keys;
  regf::CellMap cells = regf::CellMap::Make(hive).value();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    keys.push_back(patch.Get32(list + 4 + 8 * i));
    names[i] = regf::NameToUtf8(regf::ReadSubkey(cells, keys[i]).value().name);
  }
  patch.SetBytes(list, kind).SetBase32(24, minor);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, entries[i].name) - names.begin());
    const std::size_t entry = list + 4 + (kind == "li" ? 4U : 8U) * i;
    patch.Set32(entry, keys[at]);
    if (kind != "li") patch.Set32(entry + 4, entries[i].hint);
  }
  return patch.Done();
}

// The list after `add` was made and `remove` (if any) deleted; the hive must be sound.
Entries Edited(const std::string& hive, const std::string& add, const std::string& remove = "") {
  const Result<void> sound = CheckHive(hive);
  EXPECT_TRUE(sound) << sound.error().message;
  HiveEditor editor = HiveEditor::Open(hive).value();
  EXPECT_TRUE(editor.Set(add, Value("v", RegType::kSz, "")));
  if (!remove.empty()) {
    EXPECT_TRUE(editor.DeleteKeyIfEmpty(remove));
  }
  const std::string after = testing::Finished(editor);
  return after.empty() ? Entries() : ListOf(after);
}

TEST(HiveEditorList, NeighboursKeepTheirHash) {
  const std::string service = kService;
  EXPECT_EQ(Edited(ListedAs("lh", {{"Alpha", 0x077F4946}, {service, 0x6C854C56}}), "Provisioner"),
            (Entries{"lh 46497f07 Alpha", "lh ec59dbcf Provisioner", "lh 564c856c " + service}));
  // As Vista hashes the final sigma of the name.
  HiveEditor editor = HiveEditor::Open(ListedAs("lh", {{"Alpha", 0x077F4946}, {service, 0x6C854C37}})).value();
  ASSERT_TRUE(editor.Set("Provisioner", Value("v", RegType::kSz, "")));
  EXPECT_EQ(ListOf(editor.Finish(testing::kEditTime).value()),
            (Entries{"lh 46497f07 Alpha", "lh ec59dbcf Provisioner", "lh 374c856c " + service}));
  EXPECT_EQ(Edited(HiveOf({"Alpha"}), service), (Entries{"lh 46497f07 Alpha", "lh 564c856c " + service}))
      << "new names are hashed as by Windows 8 and later";
}

TEST(HiveEditorList, BothSigmas) {
  const std::string sigma = kSigma;
  const std::string final_sigma = kFinalSigma;
  const std::string hive = HiveOf({final_sigma, sigma});
  HiveEditor editor = HiveEditor::Open(hive).value();
  EXPECT_EQ(editor.Subkeys("").value(), (std::vector{sigma, final_sigma}));
  EXPECT_TRUE(editor.KeyExists("\xce\xa3").value()) << "the capital";
  EXPECT_EQ(Edited(hive, "Ours"), (Entries{"lh ede13e00 Ours", "lh a3030000 " + sigma, "lh c2030000 " + final_sigma}));
}

// As Vista sees them, these names are in another order.
TEST(HiveEditorList, TheOrderOfWindows8Stays) {
  const std::string first = std::string(kSigma) + "2";
  const std::string second = std::string(kFinalSigma) + "1";
  EXPECT_EQ(Edited(HiveOf({first, second}), std::string(kSigma) + "3"),
            (Entries{"lh c1860000 " + first, "lh c2860000 " + std::string(kSigma) + "3", "lh 3b8b0000 " + second}));
}

TEST(HiveEditorList, AnotherOrderIsSorted) {
  const std::string first = std::string(kFinalSigma) + "1";
  const std::string second = std::string(kSigma) + "2";
  HiveEditor editor = HiveEditor::Open(ListedAs("lh", {{first, 0x86C0}, {second, 0x86C1}})).value();
  ASSERT_TRUE(editor.Set("Ours", Value("v", RegType::kSz, "")));
  EXPECT_EQ(ListOf(testing::Finished(editor)),
            (Entries{"lh ede13e00 Ours", "lh c1860000 " + second, "lh 3b8b0000 " + first}));
}

TEST(HiveEditorList, HintsOfLf) {
  // As hives that Windows wrote have them: Ключ and "key" with half a character have no hint, names with other
  // characters behind the fourth have one.
  const std::string wide = "\xd0\x9a\xd0\xbb\xd1\x8e\xd1\x87";
  const std::string half = "key\xed\xa0\x80";
  const std::string late = "abcd\xce\xa9";
  const std::string hive =
      ListedAs("lf", {{"ab", 0x6261}, {late, 0x64636261}, {half, 0}, {"\xc3\xa9t\xc3\xa9", 0xE974E9}, {wide, 0}}, 3);
  const Entries before = {"lf 61620000 ab", "lf 61626364 " + late, "lf 00000000 " + half,
                          "lf e974e900 \xc3\xa9t\xc3\xa9", "lf 00000000 " + wide};
  EXPECT_EQ(ListOf(hive), before);
  Entries after = before;
  after.insert(after.begin() + 3, "lf 4f757273 Ours");
  EXPECT_EQ(Edited(hive, "Ours"), after);

  EXPECT_EQ(Edited(Patch(HiveOf({"A"})).SetBase32(24, 3).Done(), wide).back(), "lf 00000000 " + wide);
  EXPECT_EQ(Edited(Patch(HiveOf({"A"})).SetBase32(24, 3).Done(), half).back(), "lf 00000000 " + half);
  EXPECT_EQ(Edited(Patch(HiveOf({"A"})).SetBase32(24, 3).Done(), late).back(), "lf 61626364 " + late);
  EXPECT_EQ(Edited(Patch(HiveOf({"A"})).SetBase32(24, 3).Done(), "\xc3\xbf").back(), "lf ff000000 \xc3\xbf");
}

TEST(HiveEditorList, TheKindStays) {
  EXPECT_EQ(Edited(ListedAs("lf", {{"ab", 0x6261}}), "Ours"), (Entries{"lf 61620000 ab", "lf 4f757273 Ours"}));
  const std::string without_hints = ListedAs("li", {{"ab", 0}, {kService, 0}}, 3);
  EXPECT_EQ(Edited(without_hints, "Ours"), (Entries{"li - ab", "li - Ours", std::string("li - ") + kService}));
  EXPECT_EQ(Edited(without_hints, "Ours", "ab"), (Entries{"li - Ours", std::string("li - ") + kService}));
  // No such list can be in a hive of that version.
  EXPECT_EQ(Edited(Patch(HiveOf({"ab"})).SetBase32(24, 4).Done(), "Ours"),
            (Entries{"lf 61620000 ab", "lf 4f757273 Ours"}));
}

}  // namespace
}  // namespace prov::images
