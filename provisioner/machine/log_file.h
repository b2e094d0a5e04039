// The log file beside the state: the text of the event log in plain text, for tools that collect files of a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kLogFile = "provisioner.log";
inline constexpr std::uint64_t kMostLogBytes = std::uint64_t{1} << 20U;

// "2026-11-21T08:00:00Z warning 3 text\n": always one line; `text` is cut after some KiB.
std::string FormatLogLine(std::int64_t unix_seconds, Severity severity, std::uint16_t id, std::string_view text);

// Appends to a log that can't fill the disk. A line that would make the file larger than `limit` goes to a new file;
// the full file becomes "<path>.1" and replaces the previous one. The folder must exist. A missing file is made for
// administrators alone. On Windows only. Errors: owner (a link, or a file of others, is in its place), io.
Result<void> AppendToLog(const std::string& path, std::string_view line, std::uint64_t limit = kMostLogBytes);

}  // namespace prov::machine
