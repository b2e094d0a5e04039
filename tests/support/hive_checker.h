// Checks the structure of a hive more strictly than readers do: also what Windows relies on and they ignore.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/hive_records.h"
#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {

struct HiveCheckOptions {
  bool allow_unreachable =
      false;  // unreferenced cells in use: harmless, and common in hives that Windows has used for long
};

namespace testing {

class HiveChecker {
 public:
  explicit HiveChecker(regf::CellMap cells) : cells_(std::move(cells)) {}

  Result<void> Check(HiveCheckOptions options) {
    const regf::KeyRecord root = PROV_TRY(regf::ReadKey(cells_, cells_.base().root));
    if ((root.flags & regf::kKeyRoot) != regf::kKeyRoot)
      return regf::Damaged(root.offset, "the root key is not marked as such");
    PROV_TRY(CheckKey(root, 0));
    PROV_TRY(CheckSecurityRing(root.security));
    const std::optional<std::uint32_t> leaked = cells_.FirstUnclaimed();
    if (leaked && !options.allow_unreachable) return regf::Damaged(*leaked, "nothing refers to a cell in use");
    return {};
  }

 private:
  Result<void> CheckKey(const regf::KeyRecord& key, unsigned depth) {
    PROV_TRY(regf::ReadSecurity(cells_, key.security));
    ++key_count_by_security_[key.security];
    if (key.class_bytes != 0) {
      const std::string_view name = PROV_TRY(cells_.Claim(key.class_name, "class name"));
      if (name.size() < key.class_bytes) return regf::Damaged(key.class_name, "a class name is longer than its cell");
    }
    PROV_TRY(CheckValues(key));
    const std::vector<regf::SubkeyRef> refs = PROV_TRY(regf::ReadSubkeyList(cells_, key));
    if (!refs.empty() && depth == kMaxKeyDepth)
      return regf::Damaged(key.offset, "keys are nested deeper than 512 levels");
    std::u16string previous;
    for (const regf::SubkeyRef& ref : refs) {
      const regf::KeyRecord subkey = PROV_TRY(regf::ReadSubkey(cells_, ref.key));
      PROV_TRY(CheckPlace(key, ref, subkey));
      std::u16string upper = regf::Upcase(subkey.name);
      if (upper <= previous)
        return regf::Damaged(ref.list, "subkeys are not in the order of their upper-case names, or twice there");
      previous = std::move(upper);
      PROV_TRY(CheckKey(subkey, depth + 1));
    }
    return {};
  }

  // Checks that a subkey and its entry in the parent's list agree.
  static Result<void> CheckPlace(const regf::KeyRecord& parent, const regf::SubkeyRef& ref,
                                 const regf::KeyRecord& subkey) {
    if (subkey.parent != parent.offset)
      return regf::Damaged(subkey.offset, "a key names another parent than the one that lists it");
    if (parent.max_subkey_name < 2 * subkey.name.size())
      return regf::Damaged(parent.offset, "a key has a subkey whose name is longer than it says");
    if (ref.kind == "lh" && ref.hint != regf::LookupHash(regf::Upcase(subkey.name)))
      return regf::Damaged(ref.list, "a subkey's lookup hash is wrong");
    if (ref.kind == "lf") {
      const std::optional<std::uint32_t> start = regf::NameStart(subkey.name);
      const bool right = start ? ref.hint == *start : (ref.hint & 0xFFU) == 0;
      if (!right) return regf::Damaged(ref.list, "a subkey's name hint is wrong");
    }
    return {};
  }

  Result<void> CheckValues(const regf::KeyRecord& key) {
    std::vector<std::u16string> names;
    for (const std::uint32_t offset : PROV_TRY(regf::ReadValueList(cells_, key))) {
      const regf::ValueRecord value = PROV_TRY(regf::ReadValue(cells_, offset));
      const std::u16string name = value.Name();
      if (name.size() > kMaxValueNameUnits)
        return regf::Damaged(offset, "a value's name is longer than 16383 characters");
      if (key.max_value_name < 2 * name.size())
        return regf::Damaged(key.offset, "a key has a value whose name is longer than it says");
      if (key.max_value_data < value.DataBytes())
        return regf::Damaged(key.offset, "a key has a value whose data is longer than it says");
      if (value.plain_big_data) return regf::Damaged(offset, "a value above 16344 bytes is not a big data record");
      if (value.loose_big_data) return regf::Damaged(offset, "a big data record has segments to spare");
      names.push_back(regf::Upcase(name));
    }
    std::ranges::sort(names);
    if (std::ranges::adjacent_find(names) != names.end())
      return regf::Damaged(key.offset, "two values of a key have the same name");
    return {};
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
        return regf::Damaged(at,
                             fmt::format("a security descriptor counts {} keys, {} use it", record.references, keys));
      }
      const regf::SecurityRecord next = PROV_TRY(regf::ReadSecurity(cells_, record.next));
      if (next.previous != at) return regf::Damaged(at, "the ring of security descriptors is broken");
      at = record.next;
    }
    if (met < key_count_by_security_.size())
      return regf::Damaged(first, "a security descriptor in use is missing in their ring");
    return {};
  }

  regf::CellMap cells_;
  std::unordered_map<std::uint32_t, std::uint32_t> key_count_by_security_;
};

}  // namespace testing

// Returns the first fault: base block, bins filled exactly by cells, every cell in use reached exactly once, parents,
// names sorted by their upper case and unique, lookup hashes and hints, maxima stored in keys, data above 16,344 bytes
// in db records, and the ring and reference counts of the security cells. Errors: hive, or dirty-hive; `where` is the
// offset in the file.
inline Result<void> CheckHive(std::string_view bytes, HiveCheckOptions options = {}) {
  return testing::HiveChecker(PROV_TRY(regf::CellMap::Make(bytes))).Check(options);
}

}  // namespace prov::images
