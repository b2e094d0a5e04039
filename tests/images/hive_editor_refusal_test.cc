// Hives that the editor refuses, and hives of other programs that it accepts.
#include <gtest/gtest.h>

#include <filesystem>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_editor_util.h"
#include "tests/support/result.h"

namespace prov::images {
namespace {

using testing::FindCell;
using testing::kEditTime;
using testing::Key;
using testing::Patch;
using testing::Value;

std::string TwoKeyHive() {
  return WriteHive(Key("", {},
                       {Key("a", {Value("v", RegType::kBinary, std::string(9, 'v'))}, {Key("x")}),
                        Key("b", {Value("w", RegType::kBinary, std::string(9, 'w'))}, {Key("y")})}),
                   {})
      .value();
}
Error EditorRefusal(const std::string& hive) { return ErrorIn(HiveEditor::Open(hive)); }

TEST(HiveEditorRefusal, SaysWhatToDo) {
  const Error dirty = EditorRefusal(Patch(TwoKeyHive()).SetBase32(4, 7).Done());
  EXPECT_EQ(dirty.code, Code::kDirtyHive);
  EXPECT_NE(dirty.message.find("shut it down fully"), std::string::npos) << dirty.message;
  const Error checksum = EditorRefusal([] {
    std::string hive = TwoKeyHive();
    hive[508] = static_cast<char>(hive[508] ^ 1);
    return hive;
  }());
  EXPECT_EQ(checksum.code, Code::kHive);
  EXPECT_NE(checksum.message.find("load it in Windows"), std::string::npos) << checksum.message;
  for (const std::uint32_t minor : {2U, 7U})
    EXPECT_NE(EditorRefusal(Patch(TwoKeyHive()).SetBase32(24, minor).Done()).message.find("1.3 to 1.6"),
              std::string::npos);
  EXPECT_NE(EditorRefusal(Patch(TwoKeyHive()).SetBase32(28, 6).Done()).message.find(".LOG"), std::string::npos);
  EXPECT_NE(EditorRefusal(TwoKeyHive().substr(0, 6000)).message.find("copy it again"), std::string::npos);
  EXPECT_NE(EditorRefusal("regf").message.find("right file"), std::string::npos);
  EXPECT_EQ(EditorRefusal("").code, Code::kHive);
}

// A cell with two owners could be freed with one of them while the other needs it.
TEST(HiveEditorRefusal, CellsWithTwoOwnersAnywhere) {
  const std::string hive = TwoKeyHive();
  const std::uint32_t v = FindCell(hive, "vk", 0) + 4;
  const std::uint32_t w = FindCell(hive, "vk", 1) + 4;
  const std::uint32_t a = FindCell(hive, "nk", 1) + 4;
  const std::uint32_t b = FindCell(hive, "nk", 3) + 4;
  Patch same(hive);
  EXPECT_EQ(EditorRefusal(Patch(hive).Set32(w + 8, same.Get32(v + 8)).Done()).code, Code::kHive) << "data";
  EXPECT_EQ(EditorRefusal(Patch(hive).Set32(b + 40, same.Get32(a + 40)).Done()).code, Code::kHive) << "value list";
  EXPECT_EQ(EditorRefusal(Patch(hive).Set32(b + 28, same.Get32(a + 28)).Done()).code, Code::kHive) << "subkey list";
  const std::uint32_t sk = FindCell(hive, "sk");
  EXPECT_EQ(EditorRefusal(Patch(hive).Set32(w + 8, sk).Done()).code, Code::kHive) << "a descriptor as data";
  EXPECT_EQ(EditorRefusal(Patch(hive).Set32(w + 8, FindCell(hive, "nk", 1)).Done()).code, Code::kHive)
      << "a key as data";
  const std::uint32_t list = FindCell(hive, "lh", 0);
  EXPECT_EQ(EditorRefusal(Patch(hive).Set32(list + 8, FindCell(hive, "nk", 0)).Done()).code, Code::kHive) << "a cycle";
}

TEST(HiveEditorRefusal, NamesThatAreThereTwice) {
  std::string hive =
      WriteHive(Key("", {},
                    {Key("a", {Value("v1", RegType::kSz, ""), Value("v2", RegType::kSz, "")}, {Key("x1"), Key("x2")})}),
                {})
          .value();
  const std::string values = Patch(hive).SetBytes(FindCell(hive, "vk", 1) + 4 + 20, "V1").Done();
  EXPECT_EQ(HiveEditor::Open(values).value().Read("a", "v1").error().code, Code::kHive);
  const std::string keys = Patch(hive).SetBytes(FindCell(hive, "nk", 3) + 4 + 76, "X1").Done();
  EXPECT_EQ(HiveEditor::Open(keys).value().KeyExists("a").error().code, Code::kHive);
  EXPECT_TRUE(HiveEditor::Open(keys).value().KeyExists("").value()) << "not looked at";
}

TEST(HiveEditorRefusal, ABrokenRingStaysAsLongAsItNeedNotChange) {
  RegKey tree = Key("", {}, {Key("a"), Key("b")});
  tree.subkeys[0].security = SystemAdminsDescriptor();
  const std::string whole = WriteHive(tree, {}).value();
  const std::uint32_t sk = FindCell(whole, "sk", 1) + 4;
  const std::string hive = Patch(whole).Set32(sk + 4, FindCell(whole, "sk", 1)).Done();
  ASSERT_FALSE(CheckHive(hive));
  HiveEditor editor = HiveEditor::Open(hive).value();
  ASSERT_TRUE(editor.Set("a\\new", Value("v", RegType::kSz, "")));
  ASSERT_TRUE(editor.SetSecurity("b", SystemAdminsDescriptor()));
  ASSERT_TRUE(editor.SetSecurity("", SystemAdminsDescriptor()));
  const std::string after = editor.Finish(kEditTime).value();
  EXPECT_EQ(ReadHive(after).value().security, SystemAdminsDescriptor());
  EXPECT_EQ(regf::Load32(after, 4096 + sk + 12), 4U);

  HiveEditor refused = HiveEditor::Open(hive).value();
  std::string descriptor = SystemAdminsDescriptor();
  descriptor.back() = 7;
  ASSERT_TRUE(refused.SetSecurity("b", descriptor));
  const Error error = refused.Finish(kEditTime).error();
  EXPECT_EQ(error.code, Code::kHive);
  EXPECT_NE(error.message.find("ring"), std::string::npos);
}

// Lists of other programs may be in no order, of any kind, with wrong hashes.
TEST(HiveEditorRefusal, ListsThatChangeAreMadeRight) {
  const std::string hive = TwoKeyHive();
  const std::uint32_t list = FindCell(hive, "lh", 2);  // the root's: those of a and b come first
  const Patch at(hive);
  Patch swapped(hive);
  swapped.Set32(list + 8, at.Get32(list + 16)).Set32(list + 16, at.Get32(list + 8));
  ASSERT_FALSE(CheckHive(swapped.Done()));
  HiveEditor editor = HiveEditor::Open(swapped.Done()).value();
  ASSERT_TRUE(editor.KeyExists("b").value());
  ASSERT_TRUE(editor.Set("aa", Value("v", RegType::kSz, "")));
  Must(CheckHive(editor.Finish(kEditTime).value()));
}

TEST(HiveEditorRefusal, CountsThatChangeAreMadeRight) {
  const std::string hive = TwoKeyHive();
  const std::string stale = Patch(hive).Set32(FindCell(hive, "sk") + 4 + 12, 1).Done();
  ASSERT_FALSE(CheckHive(stale));
  HiveEditor editor = HiveEditor::Open(stale).value();
  ASSERT_TRUE(editor.SetSecurity("a", SystemAdminsDescriptor()));
  Must(CheckHive(editor.Finish(kEditTime).value()));
}

// The shared samples, each edited and brought back.
TEST(HiveEditorSamples, ApplyAndRemove) {
  if (!testing::HasSamples()) GTEST_SKIP() << "NOT RUN: the shared samples are not here";
  int edited = 0;
  for (const auto& file : std::filesystem::directory_iterator(testing::SamplePath("hive"))) {
    const std::string name = file.path().filename().string();
    if (file.path().extension() != ".hiv") continue;
    SCOPED_TRACE(name);
    const std::string hive = testing::Sample("hive/" + name);
    if (name == "dirty.hiv" || name == "badsum.hiv") {
      EXPECT_EQ(EditorRefusal(hive).code, name == "dirty.hiv" ? Code::kDirtyHive : Code::kHive);
      continue;
    }
    const RegKey before = testing::Canonical(ReadHive(hive).value());
    testing::Model model(before);
    HiveEditor editor = HiveEditor::Open(hive).value();
    const std::vector<std::string> paths = {"Microsoft\\SystemCertificates\\ROOT\\Certificates\\00FF",
                                            "\xc3\xa9"
                                            "t\xc3\xa9\\neu",
                                            ""};
    const RegValue value = Value("Blob of ours", RegType::kBinary, std::string(20000, 'o'));
    for (const std::string& path : paths) {
      ASSERT_TRUE(editor.Set(path, value));
      model.Set(path, value);
    }
    const std::string applied = editor.Finish(kEditTime).value();
    const RegKey wanted = testing::Canonical(model.root());
    ASSERT_TRUE(testing::Canonical(ReadHive(applied).value()) == wanted);
    testing::ExpectUntouched(hive, applied, {hive, before, wanted});
    if (CheckHive(hive)) {
      Must(CheckHive(applied));
    }
    HiveEditor removal = HiveEditor::Open(applied).value();
    for (const std::string& path : paths) {
      ASSERT_TRUE(removal.DeleteValue(path, "BLOB of ours"));
      for (std::string key = path; testing::Model(before).Find(key) == nullptr;) {
        ASSERT_TRUE(removal.DeleteKeyIfEmpty(key));
        const std::size_t cut = key.rfind('\\');
        key.resize(cut == std::string::npos ? 0 : cut);
      }
    }
    EXPECT_TRUE(testing::Canonical(ReadHive(removal.Finish(kEditTime).value()).value()) == before);
    ++edited;
  }
  EXPECT_GE(edited, 6);
}

}  // namespace
}  // namespace prov::images
