// The log file beside the state: the text of the event log in plain text, for tools that collect files of a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kLogFile = "provisioner.log";
inline constexpr std::uint64_t kMostLogBytes = std::uint64_t{1} << 20U;

// "2026-11-21T08:00:00Z warning 3 text\n": always one line; `text` is cut after some KiB.
std::string FormatLogLine(std::int64_t unix_seconds, Severity severity, std::uint16_t id, std::string_view text);

// A log that can't fill the disk. A line that would make the file larger than `limit` goes to a new file; the full file
// becomes "<path>.1" and replaces the previous one.
class LogFile {
 public:
  explicit LogFile(std::string path, std::uint64_t limit = kMostLogBytes) : path_(std::move(path)), limit_(limit) {}

  // The folder must exist. Errors: owner (a link or anything else but a plain file is in its place), io.
  Result<void> Append(std::string_view line);

 private:
  std::string path_;
  std::uint64_t limit_;
};

// The part that differs by system. Appends to a small file that only this program writes; makes a missing file for
// administrators alone. Returns false and writes nothing if the file would grow beyond `limit` bytes. Never writes
// through a link, or to anything but a plain file. Paths are UTF-8. Errors: owner, io.
Result<bool> AppendWithin(const std::string& path, std::string_view bytes, std::uint64_t limit);

// Replaces `to`. Errors: io.
Result<void> RenameFile(const std::string& from, const std::string& to);

}  // namespace prov::machine
