// Edits of a hive that bytes decide about, for tests/images/hive_editor_property_test.cc, too: after edits the hive
// holds what it held and what was set, and nothing else; it passes the strict check if it passed before; the same edits
// change nothing any more.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "images/registry/hive_editor.h"
#include "images/registry/hive_format.h"
#include "images/registry/hive_names.h"
#include "images/registry/security.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/hive_input.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"

namespace prov::fuzz {

namespace regf = images::regf;
using images::HiveEditor;
using images::RegKey;
using images::RegType;
using images::RegValue;

inline std::string Upper(std::string_view name) {
  return regf::NameToUtf8(regf::Upcase(regf::NameFromUtf8(name).value_or(u"")));
}

// Keys by path in upper case, each with its values and descriptor.
struct FlatKey {
  std::map<std::string, RegValue> values;
  std::string security;
  bool operator==(const FlatKey&) const = default;
};
using Flat = std::map<std::string, FlatKey>;

inline void Flatten(const RegKey& key, const std::string& path, const std::string& inherited, Flat& out) {
  FlatKey& flat = out[path];
  flat.security = key.security.empty() ? inherited : key.security;
  for (const RegValue& value : key.values) {
    const std::string name = Upper(value.name);
    flat.values[name] = {name, value.type, value.data};
  }
  for (const RegKey& subkey : key.subkeys)
    Flatten(subkey, path.empty() ? Upper(subkey.name) : path + '\\' + Upper(subkey.name), out.at(path).security, out);
}
inline Flat Flatten(const RegKey& root) {
  Flat out;
  Flatten(root, "", "", out);
  return out;
}

// The bytes that decide about the edits; zeros behind them.
class Script {
 public:
  explicit Script(std::string_view bytes) : bytes_(bytes) {}
  bool Ended() const { return bytes_.empty(); }
  std::uint8_t Next() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

 private:
  std::string_view bytes_;
};

// Edits of an editor and of a flat hive alike. A member that returns false met an error, which ends the edits.
class Edits {
 public:
  Edits(HiveEditor& editor, Flat& flat) : editor_(editor), flat_(flat) {}

  bool Make(Script& script) {
    for (int count = 0; count < 24 && !script.Ended(); ++count) {
      const std::uint8_t what = script.Next();
      const std::string path = Path(script);
      const bool made = what % 4 == 0   ? DeleteValue(path, ValueName(script, path))
                        : what % 4 == 1 ? DeleteKey(path)
                        : what % 4 == 2 ? SetSecurity(path, script.Next())
                                        : Set(path, ValueName(script, path), script.Next());
      if (!made) return false;
    }
    return true;
  }

 private:
  static bool Done(const Result<void>& result) {
    if (!result) CheckHiveError(result.error(), true);
    return result.has_value();
  }

  // One that is there, or one below it.
  std::string Path(Script& script) const {
    const std::uint8_t which = script.Next();
    auto at = flat_.begin();
    std::advance(at, which % flat_.size());
    std::string path = at->first;
    const std::uint8_t below = script.Next();
    if (below % 3 == 1) path += path.empty() ? "new" : "\\new";
    if (below % 3 == 2) path += path.empty() ? "n\xc3\xa9\\a" : "\\n\xc3\xa9\\a";
    return Upper(path);
  }
  std::string ValueName(Script& script, const std::string& path) const {
    const std::uint8_t which = script.Next();
    const auto key = flat_.find(path);
    if (key == flat_.end() || key->second.values.empty() || which % 4 == 0) return which % 8 == 0 ? "" : "V";
    auto at = key->second.values.begin();
    std::advance(at, which % key->second.values.size());
    return at->first;
  }
  static std::string ParentOf(const std::string& path) {
    const std::size_t cut = path.rfind('\\');
    return cut == std::string::npos ? "" : path.substr(0, cut);
  }
  bool IsParent(const std::string& path) const {
    return std::ranges::any_of(
        flat_, [&](const auto& key) { return !key.first.empty() && key.first != path && ParentOf(key.first) == path; });
  }

  bool Set(const std::string& path, const std::string& name, std::uint8_t what) {
    static constexpr std::size_t kSizes[] = {0, 1, 4, 5, 100, 4000, 16344, 16345};
    const RegValue value{name, static_cast<RegType>(what % 12), std::string(kSizes[what % std::size(kSizes)], 'f')};
    if (!Done(editor_.Set(path, value))) return false;
    MakeFlat(path).values[name] = value;
    return true;
  }
  FlatKey& MakeFlat(const std::string& path) {
    const auto found = flat_.find(path);
    if (found != flat_.end()) return found->second;
    const std::string security = MakeFlat(ParentOf(path)).security;
    return flat_[path] = {{}, security};
  }
  bool DeleteValue(const std::string& path, const std::string& name) {
    if (!Done(editor_.DeleteValue(path, name))) return false;
    if (const auto key = flat_.find(path); key != flat_.end()) key->second.values.erase(name);
    return true;
  }
  bool DeleteKey(const std::string& path) {
    if (!Done(editor_.DeleteKeyIfEmpty(path))) return false;
    const auto key = flat_.find(path);
    if (key != flat_.end() && !path.empty() && key->second.values.empty() && !IsParent(path)) flat_.erase(key);
    return true;
  }
  bool SetSecurity(const std::string& path, std::uint8_t what) {
    if (!flat_.contains(path)) return true;
    std::string descriptor = what % 2 == 0 ? images::SystemAdminsDescriptor() : images::SystemAdminsUsersDescriptor();
    if (what % 3 == 0) descriptor.back() = static_cast<char>(what);
    if (!Done(editor_.SetSecurity(path, descriptor))) return false;
    flat_.at(path).security = descriptor;
    return true;
  }

  HiveEditor& editor_;
  Flat& flat_;
};

// Sets everything once more: that is what a second run does.
inline void CheckNothingToDo(const std::string& hive, const Flat& flat) {
  auto editor = HiveEditor::Open(hive);
  FUZZ_CHECK(editor);
  for (const auto& [path, key] : flat) {
    const auto there = editor->KeyExists(path);
    if (!there) return CheckHiveError(there.error(), false);
    FUZZ_CHECK(*there);
    FUZZ_CHECK(editor->Security(path) == key.security);
    FUZZ_CHECK(editor->SetSecurity(path, key.security));
    for (const auto& [name, value] : key.values) {
      const auto read = editor->Read(path, name);
      FUZZ_CHECK(read && *read && (*read)->data == value.data && (*read)->type == value.type);
    }
  }
  FUZZ_CHECK(!editor->Changed());
  FUZZ_CHECK(editor->Finish(1) == hive);
}

// The hive after the edits; nullopt if it or they are refused, which no strict hive is.
inline std::optional<std::string> CheckEdits(const std::string& hive, std::string_view edits) {
  auto editor = HiveEditor::Open(hive);
  const auto tree = images::ReadHive(hive);
  const bool strict = images::CheckHive(hive).has_value();
  if (!editor) {
    CheckHiveError(editor.error(), false);
    FUZZ_CHECK(!strict);
    return std::nullopt;
  }
  if (!tree) return std::nullopt;  // descriptors at too many keys
  Flat flat = Flatten(*tree);
  const Flat before = flat;
  Script script(edits);
  if (!Edits(*editor, flat).Make(script)) {
    FUZZ_CHECK(!strict);
    return std::nullopt;
  }
  FUZZ_CHECK(flat == before || editor->Changed());
  const bool changed = editor->Changed();
  const auto result = editor->Finish(1);
  if (!result) {
    CheckHiveError(result.error(), false);
    FUZZ_CHECK(!strict);
    return std::nullopt;
  }
  FUZZ_CHECK(changed == (*result != hive));
  const auto after = images::ReadHive(*result);
  FUZZ_CHECK(after);
  FUZZ_CHECK(Flatten(*after) == flat);
  FUZZ_CHECK(!strict || images::CheckHive(*result));
  CheckNothingToDo(*result, flat);
  return *result;
}

}  // namespace prov::fuzz
