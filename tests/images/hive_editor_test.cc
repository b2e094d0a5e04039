#include "images/registry/hive_editor.h"

#include <gtest/gtest.h>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_editor_util.h"

namespace prov::images {
namespace {

using testing::FindCell;
using testing::Finished;
using testing::kEditTime;
using testing::Key;
using testing::Patch;
using testing::Value;

RegKey EditorTree() {
  return Key("", {Value("root", RegType::kSz, EncodeSz("r"))},
             {Key("Alpha",
                  {Value("One", RegType::kDword, EncodeDword(1)), Value("Two", RegType::kBinary, std::string(100, '2')),
                   Value("Big", RegType::kBinary, std::string(40000, 'B'))}),
              Key("Beta", {}, {Key("Gamma", {Value("", RegType::kSz, EncodeSz("d"))})}), Key("Empty")});
}
std::string EditorHive() { return WriteHive(EditorTree(), {}).value(); }
HiveEditor OpenEditor(const std::string& hive) { return HiveEditor::Open(hive).value(); }

RegKey ReadCanonical(const std::string& hive) { return testing::Canonical(ReadHive(hive).value()); }

TEST(HiveEditor, SettingBackIsNoChange) {
  const std::string hive = EditorHive();
  HiveEditor editor = OpenEditor(hive);
  ASSERT_TRUE(editor.Set("Alpha", Value("Two", RegType::kSz, "other")));
  ASSERT_TRUE(editor.DeleteValue("Alpha", "One"));
  ASSERT_TRUE(editor.Set("New\\Key", Value("v", RegType::kSz, "")));
  ASSERT_TRUE(editor.SetSecurity("Alpha", SystemAdminsDescriptor()));
  ASSERT_TRUE(editor.DeleteKeyIfEmpty("Empty"));
  EXPECT_TRUE(editor.Changed());
  EXPECT_EQ(editor.Read("Alpha", "One").value(), std::nullopt);
  EXPECT_FALSE(editor.KeyExists("Empty").value());
  EXPECT_EQ(editor.Read("Alpha", "Two").value()->data, "other");
  const RegKey tree = EditorTree();
  for (const RegValue& value : tree.subkeys[0].values) ASSERT_TRUE(editor.Set("ALPHA", value));
  ASSERT_TRUE(editor.DeleteValue("New\\Key", "v"));
  ASSERT_TRUE(editor.DeleteKeyIfEmpty("New\\Key"));
  ASSERT_TRUE(editor.DeleteKeyIfEmpty("New"));
  ASSERT_TRUE(editor.SetSecurity("Alpha", SystemAdminsUsersDescriptor()));
  ASSERT_TRUE(editor.Set("Empty", Value("v", RegType::kSz, "")));
  ASSERT_TRUE(editor.DeleteValue("Empty", "v"));
  EXPECT_FALSE(editor.Changed());
  EXPECT_EQ(editor.Finish(kEditTime).value(), hive);
}

TEST(HiveEditor, KeepsSpellingAndPlace) {
  HiveEditor editor = OpenEditor(EditorHive());
  ASSERT_TRUE(editor.Set("ALPHA", Value("ONE", RegType::kDword, EncodeDword(2))));
  ASSERT_TRUE(editor.Set("alpha\\new", Value("Spelt", RegType::kSz, "")));
  const RegKey after = ReadHive(Finished(editor)).value();
  EXPECT_EQ(after.subkeys[0].name, "Alpha");
  EXPECT_EQ(after.subkeys[0].values[0], Value("One", RegType::kDword, EncodeDword(2)));
  EXPECT_EQ(after.subkeys[0].subkeys[0].name, "new");
}

TEST(HiveEditor, AppendsBinsAndKeepsTheRest) {
  const std::string hive = EditorHive();
  HiveEditor editor = OpenEditor(hive);
  ASSERT_TRUE(editor.Set("Alpha", Value("Two", RegType::kSz, std::string(30, 'n'))));
  ASSERT_TRUE(editor.Set("Beta\\New", Value("Huge", RegType::kBinary, std::string(100000, 'h'))));
  const std::string after = Finished(editor);
  EXPECT_EQ(after.size() % 4096, 0U);
  EXPECT_GT(after.size(), hive.size() + 100000);
  EXPECT_LT(after.size(), hive.size() + 100000 + 20480);
  RegKey wanted = EditorTree();
  testing::Model model(wanted);
  model.Set("Alpha", Value("Two", RegType::kSz, std::string(30, 'n')));
  model.Set("Beta\\New", Value("Huge", RegType::kBinary, std::string(100000, 'h')));
  EXPECT_EQ(ReadCanonical(after), testing::Canonical(model.root()));
  EXPECT_GT(testing::ExpectUntouched(hive, after, {hive, ReadCanonical(hive), ReadCanonical(after)}), 7U);
}

TEST(HiveEditor, AdvancesSequenceAndTimes) {
  const std::string hive = EditorHive();
  HiveEditor editor = OpenEditor(hive);
  ASSERT_TRUE(editor.Set("Beta\\Gamma", Value("n", RegType::kSz, "")));
  const std::string after = Finished(editor);
  EXPECT_EQ(regf::Load32(after, 4), 2U);
  EXPECT_EQ(regf::Load32(after, 8), 2U);
  EXPECT_EQ(regf::Load64(after, 12), kEditTime);
  const auto time = [&](std::string_view key) {
    regf::CellMap cells = regf::CellMap::Make(after).value();
    for (int n = 0;; ++n) {
      const std::uint32_t cell = FindCell(after, "nk", n);
      if (regf::ReadKey(cells, cell).value().name == regf::NameFromUtf8(key))
        return regf::Load64(after, 4096 + cell + 8);
    }
  };
  EXPECT_EQ(time("Gamma"), kEditTime);
  EXPECT_EQ(time("Beta"), kDefaultHiveTime) << "no list of its own changed";
  EXPECT_EQ(time("Alpha"), kDefaultHiveTime);
}

TEST(HiveEditor, WipesWhatItFrees) {
  RegKey tree = EditorTree();
  tree.subkeys[0].values.push_back(Value("Secret", RegType::kSz, std::string(50, '!')));
  tree.subkeys[0].values.push_back(Value("BigSecret", RegType::kSz, std::string(20000, '?')));
  HiveEditor editor = OpenEditor(WriteHive(tree, {}).value());
  ASSERT_TRUE(editor.DeleteValue("Alpha", "Secret"));
  ASSERT_TRUE(editor.Set("Alpha", Value("BigSecret", RegType::kSz, "public")));
  const std::string after = Finished(editor);
  EXPECT_EQ(after.find("!!!!"), std::string::npos);
  EXPECT_EQ(after.find("????"), std::string::npos);
}

TEST(HiveEditor, SlackBehindTheBinsGoes) {
  const std::string hive = EditorHive();
  HiveEditor editor = OpenEditor(hive + std::string(5000, 's'));
  ASSERT_TRUE(editor.Set("Alpha", Value("Two", RegType::kSz, "")));
  const std::string after = Finished(editor);
  EXPECT_EQ(after.size(), 4096 + regf::Load32(after, 40));
  EXPECT_EQ(after.find("ssss"), std::string::npos);
}

TEST(HiveEditor, DescriptorsComeAndGo) {
  HiveEditor editor = OpenEditor(EditorHive());
  ASSERT_TRUE(editor.SetSecurity("Empty", SystemAdminsDescriptor()));
  ASSERT_TRUE(editor.SetSecurity("Beta\\Gamma", SystemAdminsDescriptor()));
  const std::string two = Finished(editor);
  EXPECT_NE(FindCell(two, "sk", 1), regf::kNil);
  EXPECT_EQ(FindCell(two, "sk", 2), regf::kNil);

  HiveEditor all = OpenEditor(two);
  for (const char* key : {"", "Alpha", "Beta", "Empty", "Beta\\Gamma"})
    ASSERT_TRUE(all.SetSecurity(key, SystemAdminsDescriptor()));
  const std::string one = Finished(all);
  EXPECT_EQ(FindCell(one, "sk", 1), regf::kNil) << "the first, the root's, is used by nobody and went";
  EXPECT_EQ(ReadHive(one).value().security, SystemAdminsDescriptor());

  const Result<void> refused = OpenEditor(one).SetSecurity("Alpha", "no descriptor");
  EXPECT_EQ(refused.error().code, Code::kHive);
}

TEST(HiveEditor, AKeyThatIsNotThereYetIsMadeWithItsDescriptor) {
  HiveEditor editor = OpenEditor(EditorHive());
  ASSERT_TRUE(editor.SetSecurity("Beta\\made", SystemAdminsDescriptor()));
  const std::string bytes = Finished(editor);
  const RegKey root = ReadHive(bytes).value();
  const auto beta = std::ranges::find(root.subkeys, "Beta", &RegKey::name);
  ASSERT_NE(beta, root.subkeys.end());
  const auto made = std::ranges::find(beta->subkeys, "made", &RegKey::name);
  ASSERT_NE(made, beta->subkeys.end());
  EXPECT_EQ(made->security, SystemAdminsDescriptor());
  EXPECT_TRUE(made->values.empty());
}

TEST(HiveEditor, ManySiblings) {
  HiveEditor editor = OpenEditor(EditorHive());
  RegKey wanted = EditorTree();
  for (int i = 0; i < 2000; ++i) {
    const std::string name = (i % 3 == 0 ? "\xe6\x97\xa5" : "k") + std::to_string(i * 7919 % 2000);
    ASSERT_TRUE(editor.Set("Beta\\" + name, Value("v", RegType::kSz, "")));
    wanted.subkeys[1].subkeys.push_back(Key(name, {Value("v", RegType::kSz, "")}));
  }
  const std::string many = Finished(editor);
  EXPECT_NE(FindCell(many, "ri"), regf::kNil);
  EXPECT_EQ(ReadCanonical(many), testing::Canonical(wanted));
  HiveEditor fewer = OpenEditor(many);
  for (const RegKey& key : wanted.subkeys[1].subkeys) {
    if (key.name == "Gamma") continue;
    ASSERT_TRUE(fewer.DeleteValue("Beta\\" + key.name, "v"));
    ASSERT_TRUE(fewer.DeleteKeyIfEmpty("Beta\\" + key.name));
  }
  EXPECT_EQ(ReadCanonical(Finished(fewer)), testing::Canonical(EditorTree()));
}

// Old hives have lists of another kind, and no big data.
TEST(HiveEditor, WritesTheFilesVersion) {
  RegKey tree = EditorTree();
  tree.subkeys[0].values.pop_back();
  const std::string hive = WriteHive(tree, {}).value();
  const auto edited = [&](std::uint32_t minor) {
    HiveEditor editor = OpenEditor(Patch(hive).SetBase32(24, minor).Done());
    EXPECT_TRUE(editor.Set("New", Value("Big", RegType::kBinary, std::string(20000, 'b'))));
    return Finished(editor);
  };
  EXPECT_NE(FindCell(edited(3), "lf"), regf::kNil);
  EXPECT_EQ(FindCell(edited(3), "db"), regf::kNil);
  EXPECT_NE(FindCell(edited(4), "lf"), regf::kNil);
  EXPECT_NE(FindCell(edited(4), "db"), regf::kNil);
  for (const std::uint32_t minor : {5U, 6U}) {
    EXPECT_EQ(FindCell(edited(minor), "lf"), regf::kNil);
    EXPECT_NE(FindCell(edited(minor), "db"), regf::kNil);
  }
}

TEST(HiveEditor, RepairsBigDataInOneCell) {
  // A record of the old version is none in the new one.
  const std::string old = Patch(WriteHive(Key(""), {}).value()).SetBase32(24, 3).Done();
  HiveEditor first = OpenEditor(old);
  const RegValue big = Value("Big", RegType::kBinary, std::string(20000, 'b'));
  ASSERT_TRUE(first.Set("", big));
  const std::string wrong = Patch(first.Finish(kEditTime).value()).SetBase32(24, 5).Done();
  ASSERT_FALSE(CheckHive(wrong));
  HiveEditor editor = OpenEditor(wrong);
  EXPECT_EQ(editor.Read("", "big").value(), big);
  ASSERT_TRUE(editor.Set("", big));
  EXPECT_TRUE(editor.Changed());
  EXPECT_EQ(ReadHive(Finished(editor)).value().values.at(0), big);
}

TEST(HiveEditor, ClassNamesStayUntilTheKeyGoes) {
  std::string hive = WriteHive(Key("", {}, {Key("A", {Value("v", RegType::kBinary, "01234567")})}), {}).value();
  // The value's data becomes the class name.
  const std::uint32_t nk = FindCell(hive, "nk", 1);
  const std::uint32_t data = FindCell(hive, "01234567");
  const std::string with_class = Patch(Patch(hive).Set32(FindCell(hive, "vk") + 8, 0).Done())
                                     .Set32(nk + 4 + 48, data)
                                     .Set16(nk + 4 + 74, 8)
                                     .Done();
  ASSERT_TRUE(CheckHive(with_class));
  HiveEditor kept = OpenEditor(with_class);
  ASSERT_TRUE(kept.Set("A", Value("v", RegType::kSz, "other")));
  EXPECT_NE(Finished(kept).find("01234567"), std::string::npos);
  HiveEditor gone = OpenEditor(with_class);
  ASSERT_TRUE(gone.DeleteValue("A", "v"));
  ASSERT_TRUE(gone.DeleteKeyIfEmpty("A"));
  EXPECT_EQ(Finished(gone).find("01234567"), std::string::npos);
}

TEST(HiveEditor, RefusesWhatCannotBe) {
  HiveEditor editor = OpenEditor(EditorHive());
  const RegValue value = Value("v", RegType::kSz, "");
  EXPECT_EQ(editor.Set("a\\\\b", value).error().code, Code::kHive);
  EXPECT_EQ(editor.Set("a\\", value).error().code, Code::kHive);
  EXPECT_EQ(editor.Set("\xff", value).error().code, Code::kHive);
  EXPECT_EQ(editor.Set("a", Value("\xff", RegType::kSz, "")).error().code, Code::kHive);
  EXPECT_EQ(editor.Set(std::string(257, 'k'), value).error().code, Code::kSizeLimit);
  EXPECT_EQ(editor.Set("a", Value(std::string(16384, 'v'), RegType::kSz, "")).error().code, Code::kSizeLimit);
  EXPECT_EQ(editor.Set("a", Value("v", RegType::kSz, std::string(1048577, 'v'))).error().code, Code::kSizeLimit);
  std::string deep = "d";
  for (int i = 1; i < 513; ++i) deep += "\\d";
  EXPECT_EQ(editor.Set(deep, value).error().code, Code::kSizeLimit);
  EXPECT_FALSE(editor.Changed());
  ASSERT_TRUE(editor.Set(deep.substr(2), value));
  EXPECT_TRUE(ReadHive(Finished(editor)));
}

}  // namespace
}  // namespace prov::images
