// Brings a hive that was not closed cleanly to its newest state, as Windows does when it loads one.
//
// Since Windows 8.1 a flush writes to a log only; the hive's file gets the changes up to an hour later. Until then its
// sequence numbers differ, and its file alone is old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// The bytes of the files beside a hive. nullopt: there is none.
struct HiveLogs {
  std::optional<std::string> log1;
  std::optional<std::string> log2;
};

struct ReplayedHive {
  std::string bytes;
  std::size_t entries = 0;  // that were applied
  std::uint32_t first = 0;  // their numbers
  std::uint32_t last = 0;
};

// Whether only the sequence numbers keep this hive from being read.
bool IsDirtyHive(std::string_view bytes);

// The hive with the entries of its logs applied, beginning with the log that starts earlier. An incomplete last entry
// is no error: its flush never finished. The header is as Windows leaves it: sequence numbers one above the last
// entry's; size and flags from that entry. The logs may stay beside the result. Windows reads them only if the two
// numbers of a hive differ, and then none that starts before the hive's second number; after an edit, that applies to
// all of these. Errors: dirty-hive (there is nothing to replay, or entries are missing); hive (the header is damaged).
// The contents of the pages are not checked.
Result<ReplayedHive> ReplayLogs(std::string hive, const HiveLogs& logs);

}  // namespace prov::images
