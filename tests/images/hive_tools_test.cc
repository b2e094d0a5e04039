// Hives as other programs read them: libhivex's tools, reglookup and reged, where they are installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "images/registry/hive_writer.h"
#include "tests/images/hive_test_util.h"
#include "tests/images/hive_tools_util.h"
#include "tests/images/reg_file_reader.h"
#include "tests/support/scratch_folder.h"

namespace prov::images {
namespace {

using testing::Key;
using testing::Output;
using testing::Shell;
using testing::Value;

// A hive in a file that goes away with this object.
class HiveFile {
 public:
  explicit HiveFile(const RegKey& tree) { EXPECT_TRUE(WriteFileAtomically(path_, WriteHive(tree, {}).value(), 0600)); }
  const std::string& path() const { return path_; }

 private:
  testing_support::ScratchFolder folder_;
  std::string path_ = folder_.At("made.hiv");
};

std::string Bytes(std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 31 + i / 257);
  return out;
}

RegKey VariedTree() {
  RegKey root = Key(
      "",
      {Value("", RegType::kSz, EncodeSz("default")),
       Value("HTTP_PROXY", RegType::kSz, EncodeSz("http://u:p%40ss@proxy:3128"))},
      {Key("Alpha",
           {Value("one", RegType::kBinary, Bytes(1)), Value("four", RegType::kDword, EncodeDword(0x12345678)),
            Value("five", RegType::kBinary, Bytes(5)), Value("cell", RegType::kBinary, Bytes(16344)),
            Value("db", RegType::kBinary, Bytes(16345)), Value("db4", RegType::kBinary, Bytes(51200)),
            Value("multi", RegType::kMultiSz, EncodeMultiSz({"a=1", "b"})), Value("qword", RegType::kQword, Bytes(8))}),
       Key("Empty"),
       Key("Gr\xc3\xbc\xc3\x9f"
           "e",
           {Value("\xe5\x80\xa4", RegType::kExpandSz, EncodeSz("%SystemRoot%"))}),
       Key("Many")});
  for (int i = 0; i < 1200; ++i)
    root.subkeys[3].subkeys.push_back(
        Key("K" + std::to_string(i), {Value("Blob", RegType::kBinary, Bytes(static_cast<std::size_t>(i)))}));
  root.subkeys[1].security = SystemAdminsDescriptor();
  return root;
}

// Values by key path and name.
using Flat = std::map<std::string, std::map<std::string, RegValue>>;
void FlattenValues(const RegKey& key, const std::string& path, Flat& out) {
  std::map<std::string, RegValue>& values = out[path];
  for (const RegValue& value : key.values) values[value.name] = value;
  for (const RegKey& subkey : key.subkeys) FlattenValues(subkey, path + "\\" + subkey.name, out);
}

TEST(HiveTools, HivexregeditExportsEveryValue) {
  REQUIRE_TOOL("hivexregedit");
  const HiveFile hive(VariedTree());
  const Output exported = Shell("PERL_UNICODE=S hivexregedit --export --prefix 'HKEY' " + hive.path() + " '\\'");
  ASSERT_EQ(exported.exit, 0);
  Flat actual;
  for (testing::RegSection& section : testing::ReadRegFile(exported.text)) {
    if (section.key.ends_with('\\')) section.key.pop_back();
    std::map<std::string, RegValue>& values = actual[section.key];
    for (const RegValue& value : section.values) values[value.name] = value;
  }
  Flat expected;
  FlattenValues(VariedTree(), "HKEY", expected);
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [path, values] : expected) {
    EXPECT_EQ(actual[path].size(), values.size()) << path;
    for (const auto& [name, value] : values) {
      EXPECT_EQ(actual[path][name].type, value.type) << path << "\\" << name;
      EXPECT_TRUE(actual[path][name].data == value.data)
          << path << "\\" << name << ": " << actual[path][name].data.size() << " bytes";
    }
  }
}

TEST(HiveTools, ReglookupReadsSecurity) {
  REQUIRE_TOOL("reglookup");
  const HiveFile hive(VariedTree());
  const Output csv = Shell("reglookup -s -t KEY " + hive.path());
  ASSERT_EQ(csv.exit, 0);
  const std::size_t empty = csv.text.find("\n/Empty,KEY,");
  ASSERT_NE(empty, std::string::npos);
  const std::string line = csv.text.substr(empty + 1, csv.text.find('\n', empty + 1) - empty - 1);
  EXPECT_NE(line.find("S-1-5-18"), std::string::npos) << line;
  EXPECT_NE(line.find("S-1-5-32-544"), std::string::npos) << line;
  EXPECT_EQ(line.find("S-1-5-32-545"), std::string::npos) << "no Users: " << line;
  EXPECT_NE(csv.text.find("S-1-5-32-545"), std::string::npos) << "but elsewhere";
}

}  // namespace
}  // namespace prov::images
