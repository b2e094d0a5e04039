// Facts of the regf format that reading and writing share. Offsets called "in the bins" count from the first bin
// (file offset 4096). The format: provisioner/docs/formats/hive.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace prov::images::regf {

inline constexpr std::size_t kBaseBlockBytes = 4096;
inline constexpr std::size_t kBinAlignment = 4096;
inline constexpr std::size_t kBinHeaderBytes = 32;
inline constexpr std::size_t kCellHeaderBytes = 4;
inline constexpr std::uint32_t kNil = 0xFFFFFFFF;   // "no cell"
inline constexpr std::uint32_t kRootOffset = 0x20;  // where the writer puts the root key
inline constexpr std::size_t kBigDataBytes =
    16344;  // larger data is split into segments of this size (minor version above 3)
inline constexpr std::uint32_t kInlineData =
    0x80000000;  // flag in a value's size: the data (at most 4 bytes) is in the offset field
inline constexpr std::uint16_t kKeyLatin1Name = 0x20;
inline constexpr std::uint16_t kKeyRoot = 0x0C;  // hive entry, no delete
inline constexpr std::uint16_t kValueLatin1Name = 1;

// Sizes of records before their variable part.
inline constexpr std::size_t kKeyBytes = 76;
inline constexpr std::size_t kValueBytes = 20;
inline constexpr std::size_t kSecurityBytes = 20;
inline constexpr std::size_t kBigDataRecordBytes = 12;  // 8 and 4 of padding

// The maximum of names in one lh list: such a list and its bin header fill 4 KiB. Windows begins an ri list beyond
// that.
inline constexpr std::size_t kMaxLeafNames = (kBinAlignment - kBinHeaderBytes - kCellHeaderBytes - 4) / 8;

// Little-endian numbers. The caller must have checked the bounds.
inline std::uint16_t Load16(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[at + i])); };
  return static_cast<std::uint16_t>(byte(0) | (byte(1) << 8U));
}
inline std::uint32_t Load32(std::string_view bytes, std::size_t at) {
  return Load16(bytes, at) | (static_cast<std::uint32_t>(Load16(bytes, at + 2)) << 16U);
}
inline std::uint64_t Load64(std::string_view bytes, std::size_t at) {
  return Load32(bytes, at) | (static_cast<std::uint64_t>(Load32(bytes, at + 4)) << 32U);
}
inline void StoreBytes(char* out, std::string_view bytes) { bytes.copy(out, bytes.size()); }
inline void Store16(char* out, std::uint16_t value) {
  out[0] = static_cast<char>(value & 0xFFU);
  out[1] = static_cast<char>(value >> 8U);
}
inline void Store32(char* out, std::uint32_t value) {
  Store16(out, static_cast<std::uint16_t>(value & 0xFFFFU));
  Store16(out + 2, static_cast<std::uint16_t>(value >> 16U));
}
inline void Store64(char* out, std::uint64_t value) {
  Store32(out, static_cast<std::uint32_t>(value & 0xFFFFFFFFU));
  Store32(out + 4, static_cast<std::uint32_t>(value >> 32U));
}

// The checksum for offset 508 of a base block.
inline std::uint32_t BaseBlockChecksum(std::string_view base_block) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < 508; at += 4) sum ^= Load32(base_block, at);
  if (sum == 0xFFFFFFFF) return 0xFFFFFFFE;
  return sum == 0 ? 1 : sum;
}

}  // namespace prov::images::regf
