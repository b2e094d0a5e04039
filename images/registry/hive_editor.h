// Edits hives of images. Collects edits; Finish applies them. The result is byte for byte the old file except for the
// changed records and free cells, with new bins at the end if the free cells are too small.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {

namespace regf {
class EditedTree;
}

// Paths are UTF-8, with backslashes between names; "" is the root. Names compare without case. Reading sees the edits
// so far. Errors of every member: hive (damage in the parts that were read, with the offset in the file as `where`; a
// malformed name, with the key as `where`), size-limit (as in WriteHive).
class HiveEditor {
 public:
  // Reads the bins, cells, keys and values of the whole hive, so that every cell in use has exactly one owner, and a
  // cell that an edit frees is not used elsewhere. Checks for repeated names, wrong orders, hashes and counts only
  // where they matter. Errors: dirty-hive (not closed cleanly), hive.
  static Result<HiveEditor> Open(std::string bytes);

  HiveEditor(HiveEditor&& other) noexcept;
  HiveEditor& operator=(HiveEditor&& other) noexcept;
  ~HiveEditor();

  Result<bool> KeyExists(std::string_view key) const;
  Result<std::optional<RegValue>> Read(std::string_view key, std::string_view name) const;  // absent: nullopt
  Result<std::vector<std::string>> Subkeys(std::string_view key) const;                     // empty for an absent key
  Result<std::string> Security(std::string_view key) const;  // self-relative descriptor; "" for an absent key

  // Makes missing keys, which get their parent's descriptor. Keys and values of the file keep their spelling, even if
  // they were deleted in between. Always writes a value that Windows could not read (big data in one cell).
  Result<void> Set(std::string_view key, const RegValue& value);
  Result<void> DeleteValue(std::string_view key, std::string_view name);        // absent: nothing to do
  Result<void> DeleteKeyIfEmpty(std::string_view key);                          // absent or not empty: nothing to do
  Result<void> SetSecurity(std::string_view key, std::string_view descriptor);  // makes missing keys

  bool Changed() const;  // whether the content differs from the file

  // The changed hive, after it was read back and compared with the edits. Increases the sequence numbers; `filetime` is
  // the new time of the hive and of the changed keys. In changed lists, existing entries keep their order and hints,
  // and new ones go where Windows 8 and later look for them (ListSubkeys). Wipes freed cells, merges adjacent free
  // cells, and drops data after the bins. Without a change, the original file. No function may be called afterwards.
  // Errors: as above; internal if the comparison fails.
  Result<std::string> Finish(std::uint64_t filetime);

 private:
  HiveEditor();

  std::unique_ptr<const std::string> file_;
  std::unique_ptr<regf::EditedTree> tree_;  // keeps views of the file
};

}  // namespace prov::images
