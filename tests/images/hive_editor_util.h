// What the tests of the hive editor share: a model of a hive that is edited alike, and a look at every byte that no
// edit may change.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "images/registry/hive_cells.h"
#include "images/registry/hive_editor.h"
#include "images/registry/hive_records.h"
#include "tests/images/hive_test_util.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"

namespace prov::images::testing {

inline constexpr std::uint64_t kEditTime = 0x01DB000000000000;

inline std::string Upper(std::string_view name) {
  return regf::NameToUtf8(regf::Upcase(regf::NameFromUtf8(name).value()));
}

// What is there after edits; the file must be sound.
inline std::string Finished(HiveEditor& editor) {
  const Result<std::string> out = editor.Finish(kEditTime);
  EXPECT_TRUE(out) << out.error().message << " at " << out.error().where;
  const Result<void> checked = CheckHive(out.value_or(""));
  EXPECT_TRUE(checked) << checked.error().message << " at " << checked.error().where;
  return out.value_or("");
}

// The simplest implementation of the editor there is.
class Model {
 public:
  explicit Model(RegKey root) : root_(std::move(root)) {}

  RegKey* Find(std::string_view path) { return Walk(path, false); }
  void Set(std::string_view path, const RegValue& value) {
    RegKey& key = *Walk(path, true);
    RegValue* const found = FindValue(key, value.name);
    if (found == nullptr) {
      key.values.push_back(value);
    } else {
      found->type = value.type;
      found->data = value.data;
    }
  }
  static RegValue* FindValue(RegKey& key, std::string_view name) {
    const auto found =
        std::ranges::find_if(key.values, [&](const RegValue& v) { return Upper(v.name) == Upper(name); });
    return found == key.values.end() ? nullptr : &*found;
  }
  const RegKey& root() const { return root_; }

 private:
  static RegKey* FindSubkey(const RegKey& key, std::string_view name) {
    const auto found = std::ranges::find_if(key.subkeys, [&](const RegKey& k) { return Upper(k.name) == Upper(name); });
    return found == key.subkeys.end() ? nullptr : const_cast<RegKey*>(&*found);
  }
  RegKey* Walk(std::string_view path, bool make) {
    RegKey* key = &root_;
    if (path.empty()) return key;
    for (const std::string_view name : Split(path, '\\')) {
      RegKey* next = FindSubkey(*key, name);
      if (next == nullptr && !make) return nullptr;
      if (next == nullptr) next = &key->subkeys.emplace_back(Key(std::string(name)));
      key = next;
    }
    return key;
  }

  RegKey root_;
};

// A form in which trees can be compared: names in upper case, everything sorted, descriptors only where they change.
inline void UpcaseAndSort(RegKey& key) {
  key.name = Upper(key.name);
  for (RegValue& value : key.values) value.name = Upper(value.name);
  std::ranges::sort(key.values, {}, &RegValue::name);
  for (RegKey& subkey : key.subkeys) UpcaseAndSort(subkey);
}
inline RegKey Canonical(RegKey root) {
  root = Normalised(std::move(root));
  UpcaseAndSort(root);
  return root;
}

// Offsets of the cells of the original that edits may change: those of keys that differ between two canonical trees.
// Security cells are shared, so each of them may.
class MayChange {
 public:
  MayChange(const std::string& hive, const RegKey& before, const RegKey& after)
      : cells_(regf::CellMap::Make(hive).value()) {
    Visit(regf::ReadKey(cells_, cells_.base().root).value(), &before, &after, before.security, after.security);
  }
  bool Holds(std::uint32_t cell) const { return offsets_.contains(cell); }

 private:
  static const RegKey* SubkeyOf(const RegKey* key, const std::string& name) {
    if (key == nullptr) return nullptr;
    const auto found = std::ranges::find(key->subkeys, name, &RegKey::name);
    return found == key->subkeys.end() ? nullptr : &*found;
  }
  static bool SameNames(const RegKey& a, const RegKey& b) {
    return std::ranges::equal(a.subkeys, b.subkeys, {}, &RegKey::name, &RegKey::name);
  }

  void Visit(const regf::KeyRecord& record, const RegKey* before, const RegKey* after, const std::string& old_security,
             const std::string& new_security) {
    offsets_.insert(record.security);
    const bool same = after != nullptr && before->values == after->values && SameNames(*before, *after) &&
                      old_security == new_security;
    std::vector<std::uint32_t> own = {record.offset};
    if (record.class_bytes != 0) own.push_back(record.class_name);
    if (record.value_count != 0) own.push_back(record.value_list);
    const std::vector<std::uint32_t> values = regf::ReadValueList(cells_, record).value();
    for (const std::uint32_t offset : values) {
      const regf::ValueRecord value = regf::ReadValue(cells_, offset).value();
      own.insert(own.end(), {offset, value.data_cell, value.segment_list});
      own.insert(own.end(), value.segment_cells.begin(), value.segment_cells.end());
    }
    const std::vector<regf::SubkeyRef> refs = regf::ReadSubkeyList(cells_, record, &own).value();
    for (const regf::SubkeyRef& ref : refs) {
      const regf::KeyRecord subkey = regf::ReadSubkey(cells_, ref.key).value();
      const std::string name = Upper(regf::NameToUtf8(subkey.name));
      const RegKey* const old_key = SubkeyOf(before, name);
      const RegKey* const new_key = SubkeyOf(after, name);
      Visit(subkey, old_key, new_key, old_key->security.empty() ? old_security : old_key->security,
            new_key == nullptr || new_key->security.empty() ? new_security : new_key->security);
    }
    if (!same) offsets_.insert(own.begin(), own.end());
  }

  regf::CellMap cells_;
  std::set<std::uint32_t> offsets_;
};

// Whether bin headers and the cells in use that may not change are the same bytes; returns the number of cells
// compared.
inline std::size_t ExpectUntouched(const std::string& before, const std::string& after, const MayChange& may) {
  const std::size_t end = 4096 + regf::Load32(before, 40);
  EXPECT_GE(after.size(), end);
  std::size_t compared = 0;
  for (std::size_t bin = 4096; bin < end; bin += regf::Load32(before, bin + 8)) {
    EXPECT_EQ(before.compare(bin, 32, after, bin, 32), 0) << "bin " << bin;
    const std::size_t bin_end = bin + regf::Load32(before, bin + 8);
    for (std::size_t at = bin + 32; at < bin_end;) {
      const std::int64_t stored = static_cast<std::int32_t>(regf::Load32(before, at));
      const auto size = static_cast<std::size_t>(stored < 0 ? -stored : stored);
      if (stored < 0 && !may.Holds(static_cast<std::uint32_t>(at - 4096))) {
        EXPECT_EQ(before.compare(at, size, after, at, size), 0) << "cell " << at;
        ++compared;
      }
      at += size;
    }
  }
  return compared;
}

}  // namespace prov::images::testing
