// Changes hives of images. Edits are collected; Finish writes them: the file as it was, byte for byte outside of the
// records that change and of free cells, and new bins behind it where these are too small.
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
  // Walks bins, cells, keys and values of the whole hive: since every cell in use then belongs to one of them only,
  // what an edit frees is needed nowhere else. Names that are there twice, wrong orders, hashes and counts are not
  // looked at before they matter. Errors: dirty-hive (not closed cleanly), hive.
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

  // The changed hive, read again and compared with what was meant: sequence numbers advanced, `filetime` as the time of
  // the hive and of the keys that changed. In lists that change, what the file has keeps its order and its hints, and
  // what is new comes where Windows 8 and later look for it (ListSubkeys); freed cells are wiped, free ones side by
  // side become one; what stood behind the bins is gone. Without a change, the file as it was. Nothing may be called
  // afterwards. Errors: as above; internal when the comparison fails.
  Result<std::string> Finish(std::uint64_t filetime);

 private:
  class Impl;
  explicit HiveEditor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace prov::images
