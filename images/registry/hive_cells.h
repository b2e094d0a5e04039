// The container of a hive: base block, bins and cells. Each cell can be claimed only once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "images/registry/hive_format.h"
#include "provisioner/base/result.h"

namespace prov::images::regf {

struct BaseBlock {
  std::uint32_t sequence = 0;
  std::uint64_t filetime = 0;
  std::uint32_t minor = 0;  // 3..6
  std::uint32_t root = 0;   // offset in the bins
  std::uint32_t bins_bytes = 0;
};

// The remedy for a hive that was not closed cleanly.
inline constexpr std::string_view kDirtyHiveRemedy =
    "start that Windows once and shut it down fully (`shutdown /s /f /t 0`; a generalised image with `sysprep "
    "/generalize /oobe /shutdown`, since starting it ends that state), or load and unload the hive on any Windows with "
    "its .LOG files beside it (`reg load HKLM\\x FILE`, then `reg unload HKLM\\x`), then try again";

// Reads the base block of a primary hive file that was closed cleanly and has at least its own length; bytes after the
// bins are common. Errors: dirty-hive, hive.
Result<BaseBlock> ReadBaseBlock(std::string_view file);

// The error for a damaged hive: the fault at an offset in the bins.
std::unexpected<Error> Damaged(std::uint32_t offset, std::string_view what);

// Calls visit(offset in the bins, size, whether it is in use) for each cell. The bins must have passed CellMap::Make.
template <typename Visit>
void ForEachCell(std::string_view bins, const Visit& visit) {
  for (std::uint32_t bin = 0; bin < bins.size();) {
    const std::uint32_t end = bin + Load32(bins, bin + 8);
    for (std::uint32_t at = bin + static_cast<std::uint32_t>(kBinHeaderBytes); at < end;) {
      const std::uint32_t stored = Load32(bins, at);
      const bool in_use = static_cast<std::int32_t>(stored) < 0;
      const std::uint32_t bytes = in_use ? 0U - stored : stored;
      visit(at, bytes, in_use);
      at += bytes;
    }
    bin = end;
  }
}

// All cells of a hive. Linear in the file's size, in time and memory.
class CellMap {
 public:
  // Walks bins and cells; `file` must outlive the map. Errors: as ReadBaseBlock; hive when bins or cells do not fill
  // their space exactly.
  static Result<CellMap> Make(std::string_view file);

  const BaseBlock& base() const { return base_; }

  // The content of the cell in use that starts at `offset` in the bins, without its size field; its size is a multiple
  // of 8 minus 4. `role` completes messages with "… refers to", e.g. "value list".
  Result<std::string_view> Content(std::uint32_t offset, std::string_view role) const;
  // The same, but each cell only once: a second claim means damage (two owners, or a cycle).
  Result<std::string_view> Claim(std::uint32_t offset, std::string_view role);

  // Whether a cell in use starts there.
  bool IsInUse(std::uint32_t offset) const;
  // The first unclaimed cell in use at or after `from`, if any.
  std::optional<std::uint32_t> FirstUnclaimed(std::uint32_t from = 0) const;

 private:
  CellMap(std::string_view file, const BaseBlock& base);
  Result<void> WalkBin(std::uint32_t begin, std::uint32_t end);

  BaseBlock base_;
  std::string_view bins_;
  std::vector<bool> starts_;  // by offset / 8: a cell in use starts here
  std::vector<bool> claimed_;
};

}  // namespace prov::images::regf
