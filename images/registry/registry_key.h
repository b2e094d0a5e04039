// Registry content as plain data: input of the hive writer and the .reg writer, output of the hive reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace prov::images {

// Registry value types by their number in winnt.h. Other numbers occur and are kept.
enum class RegType : std::uint32_t {
  kNone = 0,
  kSz = 1,
  kExpandSz = 2,
  kBinary = 3,
  kDword = 4,
  kMultiSz = 7,
  kQword = 11,
};

struct RegValue {
  std::string name;  // UTF-8; "" is the key's default value
  RegType type = RegType::kNone;
  std::string
      data;  // raw bytes as the registry stores them: UTF-16LE with terminating NUL for strings, little-endian numbers

  bool operator==(const RegValue&) const = default;
};

struct RegKey {
  std::string name;  // UTF-8; ignored for the root of a tree
  std::vector<RegValue> values;
  std::vector<RegKey> subkeys;
  std::string security;  // self-relative security descriptor; "": the parent's

  bool operator==(const RegKey&) const = default;
};

// Encoders for the data of string and number values.
std::string EncodeSz(std::string_view utf8);  // UTF-16LE + NUL
std::string EncodeMultiSz(
    const std::vector<std::string>& utf8_items);  // each + NUL, then one NUL; items must not be empty
std::string EncodeDword(std::uint32_t value);

// The descendant of `parent` at a backslash-separated path; makes missing keys. Names compare ASCII-case-insensitively.
// Empty names ("", "a\\\\b", a backslash at an end) are skipped. The search among siblings is linear: to add thousands,
// append to `subkeys` instead.
RegKey& KeyAt(RegKey& parent, std::string_view path);

// The documented limits: provisioner/docs/formats/hive.md#limits.

// UTF-16 units. The documentation of the registry says 255, but a key may be a service's name, which may have 256.
inline constexpr std::size_t kMaxKeyNameUnits = 256;
inline constexpr std::size_t kMaxValueNameUnits = 16383;  // UTF-16 units
inline constexpr std::size_t kMaxValueBytes = 1048576;    // of one value, in hives that we write; larger ones are read
// The size of a hive that we write: far above what Windows loads well, far below what 32-bit offsets can address.
inline constexpr std::size_t kMaxHiveBytes = std::size_t{1} << 30U;
inline constexpr unsigned kMaxKeyDepth = 512;  // levels below the root

}  // namespace prov::images
