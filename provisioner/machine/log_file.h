// The log that lies beside the state: what the event log has, in plain text, for whoever collects files of a node.
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

// "2026-11-21T08:00:00Z warning 3 text\n": one line, whatever is in `text`, which is cut after some KiB.
std::string FormatLogLine(std::int64_t unix_seconds, Severity severity, std::uint16_t id, std::string_view text);

// A file that can't fill a disk: the line that would make it larger than `limit` goes to a new one, and the full one,
// as "<path>.1", takes the place of the one before it.
class LogFile {
 public:
  explicit LogFile(std::string path, std::uint64_t limit = kMostLogBytes) : path_(std::move(path)), limit_(limit) {}

  // In a folder that exists. Errors: owner (a link or anything else but a plain file is in its place), io.
  Result<void> Append(std::string_view line);

 private:
  std::string path_;
  std::uint64_t limit_;
};

// The system's half. Appends to a small file that only this program writes, made for administrators alone where it is
// missing. False, and nothing written, when it would grow beyond `limit` bytes by that. Never through a link, and never
// to anything but a plain file. Paths are UTF-8. Errors: owner, io.
Result<bool> AppendWithin(const std::string& path, std::string_view bytes, std::uint64_t limit);

// `to` is replaced. Errors: io.
Result<void> RenameFile(const std::string& from, const std::string& to);

}  // namespace prov::machine
