// .reg files: what was read, made into a tree and written, reads back with the same keys and values, and writing that
// is a fixed point.
#include <algorithm>

#include "images/registry/reg_file.h"
#include "provisioner/base/text.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using images::RegFileEntry;
using images::RegKey;
using images::RegValue;

constexpr std::string_view kRoot = "HKEY_LOCAL_MACHINE";

// All values that the entries set, below one root.
RegKey TreeOf(const std::vector<RegFileEntry>& entries) {
  RegKey root;
  for (const RegFileEntry& entry : entries) {
    if (entry.remove) continue;
    const bool below = EqualsIgnoreAsciiCase(std::string_view(entry.key).substr(0, kRoot.size()), kRoot);
    const std::string_view path =
        below ? std::string_view(entry.key).substr(kRoot.size()) : std::string_view(entry.key);
    RegKey& key = images::KeyAt(root, path);
    for (const images::RegFileValue& value : entry.values) {
      if (!value.remove) key.values.push_back(value.value);
    }
  }
  return root;
}

// The keys that have values, in order.
void Collect(const RegKey& key, const std::string& path,
             std::vector<std::pair<std::string, std::vector<RegValue>>>& out) {
  if (!key.values.empty() || key.subkeys.empty()) out.emplace_back(path, key.values);
  for (const RegKey& subkey : key.subkeys) Collect(subkey, path + "\\" + subkey.name, out);
}

void CheckEntries(const std::vector<RegFileEntry>& entries) {
  for (const RegFileEntry& entry : entries) {
    FUZZ_CHECK(!entry.key.empty() && IsUtf8(entry.key));
    FUZZ_CHECK(!entry.remove || entry.values.empty());
    for (const images::RegFileValue& value : entry.values) {
      FUZZ_CHECK(IsUtf8(value.value.name));
      FUZZ_CHECK(!value.remove || value.value.data.empty());
    }
  }
}

void CheckTree(const RegKey& tree) {
  const std::string text = images::WriteRegFile(tree, kRoot);
  const auto entries = images::ReadRegFile(text);
  FUZZ_CHECK(entries);
  std::vector<std::pair<std::string, std::vector<RegValue>>> expected;
  Collect(tree, std::string(kRoot), expected);
  FUZZ_CHECK(entries->size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    FUZZ_CHECK((*entries)[i].key == expected[i].first);
    FUZZ_CHECK(!(*entries)[i].remove);
    FUZZ_CHECK(std::ranges::equal((*entries)[i].values, expected[i].second, {}, &images::RegFileValue::value));
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const auto entries = prov::images::ReadRegFile(TextOf(data, size));
  if (!entries) {
    CheckError(entries.error());
    FUZZ_CHECK(entries.error().code == prov::Code::kInvalidConfig);
    FUZZ_CHECK(entries.error().where.starts_with("line "));
    return 0;
  }
  CheckEntries(*entries);
  CheckTree(TreeOf(*entries));
  return 0;
}
