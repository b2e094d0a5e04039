// Brings a hive that was not closed cleanly to its newest state, as Windows does when it loads one.
//
// Since Windows 8.1 a flush writes to a log only; the changes reach the hive's file up to an hour later. Until then its
// two sequence numbers differ, and the file alone is outdated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// The contents of the log files beside a hive. nullopt: the file does not exist.
struct HiveLogs {
  std::optional<std::string> log1;
  std::optional<std::string> log2;
};

struct ReplayedHive {
  std::string bytes;
  std::size_t entries = 0;  // number of applied entries
  std::uint32_t first = 0;  // sequence numbers of the first and the last
  std::uint32_t last = 0;
};

// Whether only the sequence numbers keep this hive from being read.
bool IsDirtyHive(std::string_view bytes);

// The hive with the entries of its logs applied, beginning with the log that starts earlier. An incomplete last entry
// is no error, because its flush never finished. The header becomes as Windows leaves it: sequence numbers one above
// the last entry's; size and flags from that entry. The logs may stay beside the result: Windows reads them only if the
// two numbers of a hive differ, and ignores those that start before the hive's second number, which after an edit is
// true for all of these. Does not check the contents of the pages. Errors: dirty-hive (nothing to replay, or entries
// are missing); hive (the header is damaged).
Result<ReplayedHive> ReplayLogs(std::string hive, const HiveLogs& logs);

}  // namespace prov::images
