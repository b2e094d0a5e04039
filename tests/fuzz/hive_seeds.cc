// Writes hives for the corpus of the hive target: what our writer gives, as bins without the zeros at their end and
// with the root's offset in front (see hive_fuzz.cc).
//
// usage: fuzz_hive_seeds FOLDER
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "images/registry/hive_format.h"
#include "images/registry/hive_writer.h"
#include "images/registry/security.h"

namespace {

using prov::images::RegKey;
using prov::images::RegType;
using prov::images::RegValue;
namespace regf = prov::images::regf;

RegKey Key(std::string name, std::vector<RegValue> values, std::vector<RegKey> subkeys) {
  return {std::move(name), std::move(values), std::move(subkeys), ""};
}

std::string Bins(const RegKey& root) {
  const auto hive = prov::images::WriteHive(root, {});
  if (!hive) {
    std::fprintf(stderr, "fuzz_hive_seeds: %s\n", hive.error().message.c_str());
    std::exit(1);
  }
  return hive->substr(regf::kBaseBlockBytes);
}

void Save(const std::filesystem::path& file, std::string bins) {
  bins.erase(bins.find_last_not_of('\0') + 1);
  std::string out(4, '\0');
  regf::Store32(out.data(), regf::kRootOffset);
  std::ofstream(file, std::ios::binary) << out << bins;
}

// `list`: the signature of subkey lists; other hashes than those of lh mean nothing, as readers allow.
void Write(const std::filesystem::path& file, const RegKey& root, const char* list = "lh") {
  std::string bins = Bins(root);
  for (std::size_t at = 0; at + 8 < bins.size(); at += 4) {
    if (bins.compare(at, 2, "lh") == 0) bins.replace(at, 2, list);
  }
  Save(file, std::move(bins));
}

// A small list of lists, which our writer makes for hundreds of subkeys only: "all" takes over the subkeys of "one" and
// "two" through a cell that was made as its value's data.
void WriteListOfLists(const std::filesystem::path& file) {
  constexpr std::size_t kSubkeys = 20;  // in a key record: count, and the list's offset 8 bytes further
  constexpr std::size_t kValues = 36;
  std::string bins = Bins(Key(
      "", {},
      {Key("all", {{"", RegType::kBinary, "ri_list_____"}}, {}), Key("one", {}, {Key("a", {}, {}), Key("b", {}, {})}),
       Key("two", {}, {Key("c", {}, {}), Key("d", {}, {})})}));
  const auto record = [&](const char* name) { return bins.find(name, 0, 3) - regf::kKeyBytes; };
  const std::size_t all = record("all");
  const std::size_t list = bins.find("ri_list_____");
  bins.replace(list, 4, std::string("ri\2\0", 4));
  std::size_t entry = list + 4;
  for (const char* name : {"one", "two"}) {
    char* const key = bins.data() + record(name);
    regf::Store32(bins.data() + entry, regf::Load32(bins, record(name) + kSubkeys + 8));
    regf::Store32(key + kSubkeys, 0);
    regf::Store32(key + kSubkeys + 8, regf::kNil);
    entry += 4;
  }
  regf::Store32(bins.data() + all + kValues, 0);
  regf::Store32(bins.data() + all + kValues + 4, regf::kNil);
  regf::Store32(bins.data() + all + kSubkeys, 4);
  regf::Store32(bins.data() + all + kSubkeys + 8, static_cast<std::uint32_t>(list - regf::kCellHeaderBytes));
  Save(file, std::move(bins));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 1;
  }
  const std::filesystem::path folder = argv[1];
  using prov::images::EncodeDword;
  using prov::images::EncodeMultiSz;
  using prov::images::EncodeSz;
  const RegValue text{"HTTP_PROXY", RegType::kSz, EncodeSz("http://proxy.example.com:3128")};
  const RegValue number{"Start", RegType::kDword, EncodeDword(2)};
  const RegValue several{"Environment", RegType::kMultiSz, EncodeMultiSz({"A=b", "C=d"})};
  const RegValue nothing{"", RegType::kNone, ""};
  Write(folder / "empty", Key("", {}, {}));
  Write(folder / "values", Key("", {text, number, several, nothing}, {}));
  RegKey tree = Key("", {nothing},
                    {Key("Services", {}, {Key("kubelet", {several}, {})}), Key("\u00c4rger", {number}, {}),
                     Key("\u65e5\u672c", {text}, {})});
  Write(folder / "tree", tree);
  Write(folder / "tree-lf", tree, "lf");
  tree.subkeys[0].security = prov::images::SystemAdminsDescriptor();
  tree.subkeys[0].subkeys[0].security = prov::images::SystemAdminsUsersDescriptor();
  Write(folder / "security", tree);
  RegKey wide = Key("", {}, {});
  for (int i = 0; i < 24; ++i) wide.subkeys.push_back(Key("k" + std::to_string(i), {}, {}));
  Write(folder / "wide", wide);
  Write(folder / "data", Key("", {{"blob", RegType::kBinary, std::string(1500, 'x')}}, {}));
  Write(folder / "big-data", Key("", {{"", RegType::kBinary, std::string(regf::kBigDataBytes + 9, 'x')}}, {}));
  WriteListOfLists(folder / "list-of-lists");
  return 0;
}
