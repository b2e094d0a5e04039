// Writes registry hive files (regf 1.5) from scratch: linear time, the same tree and options give the same bytes.
//
// Layout: 16 KiB bins (larger where one cell needs it, the last one shorter), lh subkey lists of at most 507 names (as
// many as a 4 KiB bin holds), an ri above them when there are more, db records for data above 16,344 bytes, one shared
// sk cell for each distinct security descriptor.
#pragma once

#include <cstdint>
#include <string>

#include "images/registry/registry_key.h"
#include "provisioner/base/result.h"

namespace prov::images {

inline constexpr std::uint64_t kDefaultHiveTime = 132223104000000000;  // FILETIME of 2020-01-01T00:00:00Z

struct HiveOptions {
  std::string file_name;  // UTF-8, informational: the base block keeps its last 31 UTF-16 units
  std::string
      security;  // self-relative descriptor of the root when root.security is ""; "" = SystemAdminsUsersDescriptor()
  std::uint64_t filetime = kDefaultHiveTime;  // time of the last write, for the hive and every key
};

// Writes a hive that contains `root` (its own name is ignored; the file calls it ROOT). Sorts subkeys as Windows
// requires; values keep their order. An empty `security` means the parent's. Errors: size-limit (names, values, depth
// or the whole too large); hive (an empty key name, a backslash in a key name, subkeys or values of a key whose names
// differ only in case, malformed UTF-8, a malformed security descriptor). `where` is the key's path.
Result<std::string> WriteHive(const RegKey& root, const HiveOptions& options);

}  // namespace prov::images
