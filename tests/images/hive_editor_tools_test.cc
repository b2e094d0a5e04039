// Edited hives as other programs read them, and hives of other programs edited, where these are installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_editor_util.h"
#include "tests/images/hive_tools_util.h"
#include "tests/support/scratch_folder.h"

namespace prov::images {
namespace {

using testing::kEditTime;
using testing::Key;
using testing::Shell;
using testing::Value;

// A file that goes away with this object.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name) : path_(folder_.At(name)) {}
  const std::string& path() const { return path_; }
  void Write(std::string_view bytes) const { ASSERT_TRUE(WriteFileAtomically(path_, bytes, 0600)); }
  std::string Read() const { return ReadFile(path_, 1U << 30U).value(); }

 private:
  testing_support::ScratchFolder folder_;
  std::string path_;
};

// What `reader` sees, written to a file. Of reglookup without times: those of changed keys are others.
void Dump(const std::string& reader, const std::string& hive, const std::string& to) {
  const ScratchFile file("dump.hiv");
  file.Write(hive);
  std::string command = "reged -x " + file.path() + " 'HKEY' '\\' " + to;
  if (reader == "hivexregedit") command = "PERL_UNICODE=S hivexregedit --export " + file.path() + " '\\' >" + to;
  if (reader == "reglookup") command = "reglookup " + file.path() + " | cut -d, -f1-3 >" + to;
  EXPECT_EQ(Shell(command).exit, 0) << reader;
}

// Every key and value as text, one line each, with the key's path in front: what `reader` sees in a hive.
std::set<std::string> Lines(const std::string& reader, const std::string& hive) {
  const ScratchFile file("lines.txt");
  Dump(reader, hive, file.path());
  const std::string text = file.Read();
  std::set<std::string> lines;
  std::string key;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with('[')) key = line;
    if (!line.empty()) lines.insert(reader == "reglookup" ? std::string(line) : key + " " + std::string(line));
  }
  EXPECT_GT(lines.size(), 3U) << reader;
  return lines;
}

// What is in `a` and not in `b`.
std::vector<std::string> Missing(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::vector<std::string> out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return out;
}

constexpr const char* kStore = "Microsoft\\SystemCertificates\\ROOT\\Certificates";

std::string Thumbprint(int i) { return fmt::format("{:040X}", static_cast<unsigned>(i) * 2654435761U); }

std::string Apply(const std::string& hive) {
  HiveEditor editor = HiveEditor::Open(hive).value();
  for (int i = 0; i < 144; ++i) {
    const auto size = static_cast<std::size_t>(700 + i * 7);
    EXPECT_TRUE(editor.Set(fmt::format("{}\\{}", kStore, Thumbprint(i)),
                           Value("Blob", RegType::kBinary, std::string(size, static_cast<char>(i)))));
  }
  EXPECT_TRUE(editor.Set("Microsoft\\OurKey", Value("Environment", RegType::kMultiSz, EncodeMultiSz({"A=b", "C=d"}))));
  EXPECT_TRUE(editor.SetSecurity("Microsoft\\OurKey", SystemAdminsDescriptor()));
  return editor.Finish(kEditTime).value();
}

std::string Remove(const std::string& hive, const std::string& original) {
  HiveEditor editor = HiveEditor::Open(hive).value();
  const HiveEditor before = HiveEditor::Open(original).value();
  std::vector<std::string> keys = {"Microsoft\\OurKey"};
  for (int i = 0; i < 144; ++i) keys.push_back(fmt::format("{}\\{}", kStore, Thumbprint(i)));
  EXPECT_TRUE(editor.DeleteValue(keys[0], "Environment"));
  for (const std::string& key : keys) EXPECT_TRUE(editor.DeleteValue(key, "Blob"));
  for (const std::string& key : keys) EXPECT_TRUE(editor.DeleteKeyIfEmpty(key));
  for (std::string key = kStore; !before.KeyExists(key).value(); key.resize(key.rfind('\\')))  // Microsoft is there
    EXPECT_TRUE(editor.DeleteKeyIfEmpty(key));
  return editor.Finish(kEditTime).value();
}

// Only our keys differ for each reader, and nothing at all once they are removed.
void CheckWithReaders(const std::string& original) {
  const std::string applied = Apply(original);
  const std::string removed = Remove(applied, original);
  for (const std::string reader : {"hivexregedit", "reglookup", "reged"}) {
    SCOPED_TRACE(reader);
    const std::set<std::string> before = Lines(reader, original);
    const std::set<std::string> after = Lines(reader, applied);
    EXPECT_TRUE(Missing(before, after).empty()) << Missing(before, after).front();
    std::size_t certificates = 0;
    for (const std::string& line : Missing(after, before)) {
      const bool ours =
          line.find("SystemCertificates") != std::string::npos || line.find("OurKey") != std::string::npos;
      EXPECT_TRUE(ours) << line;
      certificates += line.find("Blob") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(certificates, 144U);
    EXPECT_EQ(Lines(reader, removed), before);
  }
}

RegKey ClassesTree() {
  RegKey root = Key("", {Value("r", RegType::kSz, EncodeSz("root"))},
                    {Key("Classes"), Key("Microsoft", {Value("m", RegType::kDword, EncodeDword(7))})});
  for (int i = 0; i < 3000; ++i) {
    root.subkeys[0].subkeys.push_back(
        Key(fmt::format("Class{}", i), {Value("n", RegType::kDword, EncodeDword(static_cast<std::uint32_t>(i)))}));
  }
  return root;
}

TEST(HiveEditorTools, ReadersSeeOurKeysOnly) {
  for (const char* tool : {"hivexregedit", "reglookup", "reged"}) REQUIRE_TOOL(tool);
  CheckWithReaders(WriteHive(ClassesTree(), {}).value());
}

std::string RegText(int keys) {
  std::string text = "Windows Registry Editor Version 5.00\n\n[\\Software]\n\n[\\Microsoft]\n\"m\"=dword:00000007\n\n";
  for (int i = 0; i < keys; ++i) {
    const int mixed = i * 7919 % keys;
    text += fmt::format("[\\Software\\K{}]\n\"v{}\"=hex:{:02x},01,02,03,04,05\n\"s\"=dword:{:08x}\n\n", mixed, i,
                        i % 256, i);
  }
  return text;
}

TEST(HiveEditorTools, HivesOfHivexregedit) {
  for (const char* tool : {"hivexregedit", "reglookup", "reged"}) REQUIRE_TOOL(tool);
  const ScratchFile hive("theirs.hiv");
  const ScratchFile text("theirs.reg");
  hive.Write(WriteHive(Key(""), {}).value());
  text.Write(RegText(1500));
  ASSERT_EQ(Shell("hivexregedit --merge " + hive.path() + " " + text.path()).exit, 0);
  CheckWithReaders(hive.Read());
}

TEST(HiveEditorTools, HivesOfReged) {
  for (const char* tool : {"hivexregedit", "reglookup", "reged"}) REQUIRE_TOOL(tool);
  const ScratchFile hive("theirs.hiv");
  const ScratchFile text("theirs.reg");
  hive.Write(WriteHive(ClassesTree(), {}).value());
  std::string import = RegText(1000);
  for (std::size_t at = 0; (at = import.find("[\\", at)) != std::string::npos; at += 5)
    import.replace(at, 2, "[HKEY\\");
  text.Write(import);
  // Its exit code 2 says that it wrote the hive.
  ASSERT_EQ(Shell("reged -C -I " + hive.path() + " HKEY " + text.path()).exit, 2);
  const std::string theirs = hive.Read();
  ASSERT_TRUE(HiveEditor::Open(theirs).value().KeyExists("Software\\K999").value());
  CheckWithReaders(theirs);
}

}  // namespace
}  // namespace prov::images
