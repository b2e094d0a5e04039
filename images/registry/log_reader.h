// Transaction logs of hives (LOG1, LOG2) as Windows 8.1 and later write them: each flush of a hive appends an entry
// ("HvLE") with copies of the changed pages. A new session writes the log from its beginning, so older entries may
// follow the new ones. Layout: provisioner/docs/formats/hive.md#transaction-logs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::images::regf {

struct LogPage {
  std::uint32_t offset = 0;  // in the bins
  std::string_view bytes;
};

struct LogEntry {
  std::uint32_t sequence = 0;
  std::uint32_t flags = 0;       // of the base block at that time
  std::uint32_t bins_bytes = 0;  // of the hive at that time
  std::vector<LogPage> pages;    // within bins_bytes
};

struct HiveLog {
  std::uint32_t first = 0;        // sequence number of the first entry, also if that is incomplete
  std::uint32_t minor = 0;        // of the hive's version
  std::uint32_t root = 0;         // the hive's root key
  std::vector<LogEntry> entries;  // numbered from `first` without a gap; views of the log's bytes
};

// Reads a log up to the first entry that is incomplete (by both hashes, and bounds) or out of sequence. Errors:
// dirty-hive (another format, a damaged header); the message begins with its verb, such as "is empty".
Result<HiveLog> ReadLog(std::string_view bytes);

// Marvin32, the hash of the entries. It is not a security feature: it distinguishes complete entries from interrupted
// ones.
inline constexpr std::uint64_t kLogSeed = 0x82EF4D887A4E55C5;  // the same in every Windows

std::uint64_t Marvin32(std::string_view bytes, std::uint64_t seed = kLogSeed);

}  // namespace prov::images::regf
