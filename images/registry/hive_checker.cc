#include "images/registry/hive_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"

namespace prov::images {
namespace {

using regf::CaseTable;
using regf::CellMap;
using regf::Damaged;
using regf::KeyRecord;

// Checks that names are sorted by their upper case, without repetition.
class SortedNames {
 public:
  explicit SortedNames(CaseTable table) : table_(table) {}
  void Add(std::u16string_view name) {
    if (!sorted_) return;
    std::u16string upper = regf::Upcase(name, table_);
    sorted_ = previous_.empty() || previous_ < upper;
    previous_ = std::move(upper);
  }
  bool IsSorted() const { return sorted_; }

 private:
  CaseTable table_;
  std::u16string previous_;  // empty before the first one
  bool sorted_ = true;
};

class Checker {
 public:
  explicit Checker(CellMap cells) : cells_(std::move(cells)) {}

  Result<void> Check(HiveCheckOptions options) {
    const KeyRecord root = PROV_TRY(regf::ReadKey(cells_, cells_.base().root));
    if ((root.flags & regf::kKeyRoot) != regf::kKeyRoot)
      return Damaged(root.offset, "the root key is not marked as such");
    PROV_TRY(CheckKey(root, 0));
    PROV_TRY(CheckSecurityRing(root.security));
    const std::optional<std::uint32_t> leaked = cells_.FirstUnclaimed();
    if (leaked && !options.allow_unreachable) return Damaged(*leaked, "nothing refers to a cell in use");
    return {};
  }

 private:
  Result<void> CheckKey(const KeyRecord& key, unsigned depth) {
    PROV_TRY(regf::ReadSecurity(cells_, key.security));
    ++key_count_by_security_[key.security];
    if (key.class_bytes != 0) {
      const std::string_view name = PROV_TRY(cells_.Claim(key.class_name, "class name"));
      if (name.size() < key.class_bytes) return Damaged(key.class_name, "a class name is longer than its cell");
    }
    PROV_TRY(CheckValues(key));
    const std::vector<regf::SubkeyRef> refs = PROV_TRY(regf::ReadSubkeyList(cells_, key));
    if (!refs.empty() && depth == kMaxKeyDepth) return Damaged(key.offset, "keys are nested deeper than 512 levels");
    SortedNames by_windows8(CaseTable::kWindows8);
    SortedNames by_vista(CaseTable::kVista);
    for (const regf::SubkeyRef& ref : refs) {
      const KeyRecord subkey = PROV_TRY(regf::ReadSubkey(cells_, ref.key));
      PROV_TRY(CheckPlace(key, ref, subkey));
      by_windows8.Add(subkey.name);
      by_vista.Add(subkey.name);
      if (!by_windows8.IsSorted() && !by_vista.IsSorted())
        return Damaged(ref.list, "subkeys are not in the order of their upper-case names, or twice there");
      PROV_TRY(CheckKey(subkey, depth + 1));
    }
    return {};
  }

  // Checks that a subkey and its entry in the parent's list agree.
  static Result<void> CheckPlace(const KeyRecord& parent, const regf::SubkeyRef& ref, const KeyRecord& subkey) {
    if (subkey.parent != parent.offset)
      return Damaged(subkey.offset, "a key names another parent than the one that lists it");
    if (parent.max_subkey_name < 2 * subkey.name.size())
      return Damaged(parent.offset, "a key has a subkey whose name is longer than it says");
    if (ref.kind == "lh" && !IsHashOf(ref.hint, subkey.name))
      return Damaged(ref.list, "a subkey's lookup hash is wrong");
    if (ref.kind == "lf") {
      const std::optional<std::uint32_t> start = regf::NameStart(subkey.name);
      const bool right = start ? ref.hint == *start : (ref.hint & 0xFFU) == 0;
      if (!right) return Damaged(ref.list, "a subkey's name hint is wrong");
    }
    return {};
  }

  static bool IsHashOf(std::uint32_t hash, std::u16string_view name) {
    return hash == regf::LookupHash(regf::Upcase(name)) ||
           hash == regf::LookupHash(regf::Upcase(name, CaseTable::kVista));
  }

  Result<void> CheckValues(const KeyRecord& key) {
    std::vector<std::u16string> names;
    for (const std::uint32_t offset : PROV_TRY(regf::ReadValueList(cells_, key))) {
      const regf::ValueRecord value = PROV_TRY(regf::ReadValue(cells_, offset));
      if (value.name.size() > kMaxValueNameUnits)
        return Damaged(offset, "a value's name is longer than 16383 characters");
      if (key.max_value_name < 2 * value.name.size())
        return Damaged(key.offset, "a key has a value whose name is longer than it says");
      if (key.max_value_data < value.data.size())
        return Damaged(key.offset, "a key has a value whose data is longer than it says");
      if (value.plain_big_data) return Damaged(offset, "a value above 16344 bytes is not a big data record");
      if (value.loose_big_data) return Damaged(offset, "a big data record has segments to spare");
      names.push_back(value.name);
    }
    if (HasTwins(names, CaseTable::kWindows8) && HasTwins(names, CaseTable::kVista))
      return Damaged(key.offset, "two values of a key have the same name");
    return {};
  }

  static bool HasTwins(std::vector<std::u16string> names, CaseTable table) {
    for (std::u16string& name : names) name = regf::Upcase(name, table);
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) != names.end();
  }

  // Checks that the security cells form one ring, and that each counts the keys that use it.
  Result<void> CheckSecurityRing(std::uint32_t first) {
    std::size_t met = 0;
    for (std::uint32_t at = first; met == 0 || at != first; ++met) {
      PROV_TRY(cells_.Claim(at, "security descriptor"));
      const regf::SecurityRecord record = PROV_TRY(regf::ReadSecurity(cells_, at));
      const auto used = key_count_by_security_.find(at);
      const std::uint32_t keys = used == key_count_by_security_.end() ? 0 : used->second;
      if (record.references != keys) {
        return Damaged(at, fmt::format("a security descriptor counts {} keys, {} use it", record.references, keys));
      }
      const regf::SecurityRecord next = PROV_TRY(regf::ReadSecurity(cells_, record.next));
      if (next.previous != at) return Damaged(at, "the ring of security descriptors is broken");
      at = record.next;
    }
    if (met < key_count_by_security_.size())
      return Damaged(first, "a security descriptor in use is missing in their ring");
    return {};
  }

  CellMap cells_;
  std::unordered_map<std::uint32_t, std::uint32_t> key_count_by_security_;
};

}  // namespace

Result<void> CheckHive(std::string_view bytes, HiveCheckOptions options) {
  return Checker(PROV_TRY(CellMap::Make(bytes))).Check(options);
}

}  // namespace prov::images
