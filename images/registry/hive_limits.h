// The registry's documented limits: provisioner/docs/formats/hive.md#limits.
#pragma once

#include <cstddef>

namespace prov::images {

// UTF-16 units. The documentation of the registry says 255, but a service's name, which is a key's, may have 256.
inline constexpr std::size_t kMaxKeyNameUnits = 256;
inline constexpr std::size_t kMaxValueNameUnits = 16383;  // UTF-16 units
inline constexpr std::size_t kMaxValueBytes = 1048576;    // of one value, in hives we write; larger ones are read
// Of a hive we write: far above what Windows loads gladly, far below what 32-bit offsets can address.
inline constexpr std::size_t kMaxHiveBytes = std::size_t{1} << 30U;
inline constexpr unsigned kMaxKeyDepth = 512;  // levels below the root

}  // namespace prov::images
