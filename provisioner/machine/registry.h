// Port: a machine's registry. Adapters: the live one (advapi32), hives of an image, memory (tests).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::machine {

// Key paths begin with the hive, `SYSTEM\CurrentControlSet\…` or `SOFTWARE\…`, in UTF-8, with backslashes between names
// and none at the end. Names of keys and values compare without case; setting an existing value keeps its spelling.
class Registry {
 public:
  virtual ~Registry() = default;

  virtual Result<bool> KeyExists(std::string_view key) = 0;
  // nullopt if the value or the key is absent.
  virtual Result<std::optional<images::RegValue>> Read(std::string_view key, std::string_view name) = 0;
  virtual Result<std::vector<std::string>> Subkeys(std::string_view key) = 0;  // empty for an absent key

  virtual Result<void> Set(std::string_view key, const images::RegValue& value) = 0;  // makes missing keys
  virtual Result<void> DeleteValue(std::string_view key, std::string_view name) = 0;  // absent: nothing to do
  virtual Result<void> DeleteKeyIfEmpty(std::string_view key) = 0;  // absent or not empty: nothing to do

  // Whether keys have descriptors that the two functions below read and set.
  virtual bool HasSecurity() const { return false; }
  // Self-relative: owner, group, DACL; "" for an absent key.
  virtual Result<std::string> Security(std::string_view /*key*/) { return std::string(); }
  // Makes missing keys.
  virtual Result<void> SetSecurity(std::string_view /*key*/, std::string_view /*descriptor*/) { return {}; }

  // Until this returns, a power failure may undo writes.
  virtual Result<void> Flush() = 0;
};

// The text of a value of type REG_SZ or REG_EXPAND_SZ, up to its first NUL. "" if it is absent, of another type, or not
// UTF-16.
Result<std::string> ReadText(Registry& registry, std::string_view key, std::string_view name);

// Whether the key lacks this value, whatever the spelling of its name. SetIfDifferent sets it then, and returns whether
// it was written.
Result<bool> Differs(Registry& registry, std::string_view key, const images::RegValue& value);
Result<bool> SetIfDifferent(Registry& registry, std::string_view key, const images::RegValue& value);

}  // namespace prov::machine
