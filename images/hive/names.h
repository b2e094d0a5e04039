// Names in hives: UTF-16 as Windows compares, hashes and stores it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov::images::regf {

// Windows' simple upper case of one UTF-16 unit: the table that came with Vista (Unicode 5.0: Latin, Greek, Cyrillic,
// Armenian, Georgian, Coptic, Glagolitic, roman numerals, circled and fullwidth letters; U+00B5, U+0131 and U+017F
// stay). Later versions only add letters of scripts and extensions newer than that. Surrogates have no case here, as in
// Windows.
char16_t Upcase(char16_t unit);
std::u16string Upcase(std::u16string_view name);

// The number beside a name in an lh list.
std::uint32_t LookupHash(std::u16string_view upper_case_name);

// UTF-8 to UTF-16 and back. Both know generalised UTF-8, in which an unpaired surrogate (which registry names may hold)
// takes three bytes, so that every name survives; nullopt for what is malformed even so.
std::optional<std::u16string> NameFromUtf8(std::string_view utf8);
std::string NameToUtf8(std::u16string_view name);

// A name as a record stores it: Latin-1 when each unit is below 256 ("compressed"), else UTF-16LE.
struct StoredName {
  std::string bytes;
  bool latin1 = false;
};
StoredName Store(std::u16string_view name);
// The inverse. nullopt for an odd number of bytes when not Latin-1.
std::optional<std::u16string> Load(std::string_view bytes, bool latin1);

}  // namespace prov::images::regf
