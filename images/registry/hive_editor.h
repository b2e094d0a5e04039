// Edits hives of images. Edits are collected, and Finish writes them: the result is byte for byte the old file except
// for the changed records and free cells, with new bins at the end if the free cells are too small.
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

// Paths are UTF-8, backslashes between names, "" is the root; names compare without case. Reading sees the edits made
// so far. Errors of every member: hive (damaged where it was looked at, `where` is the offset in the file; a malformed
// name, `where` is the key), size-limit (as WriteHive).
class HiveEditor {
 public:
  // Walks the bins, cells, keys and values of the whole hive: every cell in use then has exactly one owner, so a cell
  // that an edit frees is not used elsewhere. Repeated names, wrong orders, hashes and counts are checked only where
  // they matter. Errors: dirty-hive (not closed cleanly), hive.
  static Result<HiveEditor> Open(std::string bytes);

  HiveEditor(HiveEditor&& other) noexcept;
  HiveEditor& operator=(HiveEditor&& other) noexcept;
  ~HiveEditor();

  Result<bool> KeyExists(std::string_view key) const;
  Result<std::optional<RegValue>> Read(std::string_view key, std::string_view name) const;  // absent key: nullopt
  Result<std::vector<std::string>> Subkeys(std::string_view key) const;                     // none of an absent key
  Result<std::string> Security(std::string_view key) const;  // self-relative descriptor; "" of an absent key

  // Makes missing keys, which get their parent's descriptor. Keys and values that the file has keep their spelling,
  // even when they were deleted in between. A value that Windows could not read (big data in one cell) is always
  // written.
  Result<void> Set(std::string_view key, const RegValue& value);
  Result<void> DeleteValue(std::string_view key, std::string_view name);        // absent: nothing to do
  Result<void> DeleteKeyIfEmpty(std::string_view key);                          // absent or in use: nothing to do
  Result<void> SetSecurity(std::string_view key, std::string_view descriptor);  // makes missing keys

  bool Changed() const;  // whether what is there now differs from the file

  // The changed hive, after it was read back and compared with the edits: sequence numbers are increased, and
  // `filetime` is the time of the hive and of the keys that changed. In changed lists, existing entries keep their
  // order and hints, and new ones are put where Windows 8 and later look for them (ListSubkeys). Freed cells are wiped,
  // adjacent free cells are merged, and data behind the bins is dropped. Without a change, the file as it was. No
  // function may be called afterwards. Errors: as above; internal if the comparison fails.
  Result<std::string> Finish(std::uint64_t filetime);

 private:
  class Impl;
  explicit HiveEditor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prov::images
