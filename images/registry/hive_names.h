// Names in hives: UTF-16 as Windows compares, hashes and stores it (provisioner/docs/formats/hive.md#upper-case).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

// The upper case by the table of Windows 8 and Server 2012 to at least Windows 10: Unicode 5.1, but U+03C2 (the final
// sigma) stays. Each UTF-16 unit has at most one upper case; surrogates have none. U+00B5, U+0131 and U+017F stay.
char16_t Upcase(char16_t unit);
std::u16string Upcase(std::u16string_view name);

// The hash beside a name in an lh list.
std::uint32_t LookupHash(std::u16string_view upper_case_name);

// The first four units of a name as in an lf list: one byte each, with zeros after a shorter name. nullopt if one of
// them needs more than a byte: the list then has a first byte of zero, which means none.
std::optional<std::uint32_t> NameStart(std::u16string_view name);

// UTF-8 to UTF-16 and back, with generalised UTF-8: an unpaired surrogate, which registry names may contain, takes
// three bytes, so that every name survives. nullopt for other malformed text.
std::optional<std::u16string> NameFromUtf8(std::string_view utf8);
std::string NameToUtf8(std::u16string_view name);

// The name of a value, and whether a hive that we write can hold it. Errors, without a place: hive, size-limit.
Result<std::u16string> CheckValue(const RegValue& value);

// A value in messages. "" is the root key.
std::string ValuePlace(std::string_view key, std::string_view name);

// A name in the form of a record: Latin-1 if each unit is below 256 ("compressed"), else UTF-16LE.
struct StoredName {
  std::string bytes;
  bool latin1 = false;
};
StoredName Store(std::u16string_view name);
// The inverse. nullopt for an odd number of bytes when not Latin-1.
std::optional<std::u16string> Load(std::string_view bytes, bool latin1);

}  // namespace prov::images::regf
