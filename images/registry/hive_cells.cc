#include "images/registry/hive_cells.h"

#include <fmt/format.h>

#include <cstdlib>

#include "images/registry/hive_format.h"

namespace prov::images::regf {
namespace {

std::unexpected<Error> NotUsable(std::size_t file_offset, std::string message) {
  return Fail(Code::kHive, std::move(message), fmt::format("offset {:#x}", file_offset));
}

}  // namespace

Result<BaseBlock> ReadBaseBlock(std::string_view file) {
  if (file.size() < kBaseBlockBytes || file.substr(0, 4) != "regf") {
    return NotUsable(0,
                     "not a registry hive (no \"regf\" base block of 4096 bytes); check that this is the right file "
                     "and copied whole");
  }
  if (Load32(file, 508) != BaseBlockChecksum(file)) {
    return NotUsable(
        508, fmt::format("the checksum of the hive's base block is wrong: it was damaged, or its last change was cut "
                         "off; take an intact copy, or load it in Windows, which repairs it from its logs: {}",
                         kDirtyHiveRemedy));
  }
  const std::uint32_t major = Load32(file, 20);
  const std::uint32_t minor = Load32(file, 24);
  if (major != 1 || minor < 3 || minor > 6) {
    return NotUsable(20, fmt::format("hive format {}.{} is not known here (1.3 to 1.6 are)", major, minor));
  }
  if (Load32(file, 28) != 0 || Load32(file, 32) != 1) {
    return NotUsable(28,
                     "this is not a primary hive file but a transaction log or of an unknown layout; give the file "
                     "without .LOG in its name");
  }
  if (Load32(file, 4) != Load32(file, 8)) {
    return Fail(
        Code::kDirtyHive,
        fmt::format("the hive was not closed cleanly (sequence numbers {} and {}): its newest changes are only in the "
                    ".LOG files beside it; {}",
                    Load32(file, 4), Load32(file, 8), kDirtyHiveRemedy),
        "offset 0x4");
  }
  BaseBlock base;
  base.sequence = Load32(file, 4);
  base.filetime = Load64(file, 12);
  base.minor = minor;
  base.root = Load32(file, 36);
  base.bins_bytes = Load32(file, 40);
  if (base.bins_bytes == 0 || base.bins_bytes % kBinAlignment != 0) {
    return NotUsable(
        40, fmt::format("the hive is damaged: {} bytes of bins is not a positive multiple of 4096; take an intact copy",
                        base.bins_bytes));
  }
  if (file.size() - kBaseBlockBytes < base.bins_bytes) {
    return NotUsable(file.size(), fmt::format("the hive is cut short: {} bytes of {}; copy it again", file.size(),
                                              kBaseBlockBytes + base.bins_bytes));
  }
  return base;
}

std::unexpected<Error> Damaged(std::uint32_t offset, std::string_view what) {
  return NotUsable(kBaseBlockBytes + offset, fmt::format("the hive is damaged: {}; take an intact copy", what));
}

CellMap::CellMap(std::string_view file, const BaseBlock& base)
    : base_(base),
      bins_(file.substr(kBaseBlockBytes, base.bins_bytes)),
      starts_(base.bins_bytes / 8),
      claimed_(base.bins_bytes / 8) {}

Result<CellMap> CellMap::Make(std::string_view file) {
  CellMap map(file, PROV_TRY(ReadBaseBlock(file)));
  const std::uint32_t total = map.base_.bins_bytes;
  for (std::uint32_t begin = 0; begin < total;) {
    if (map.bins_.substr(begin, 4) != "hbin") return Damaged(begin, "no bin starts where one must");
    const std::uint32_t size = Load32(map.bins_, begin + 8);
    if (Load32(map.bins_, begin + 4) != begin) return Damaged(begin + 4, "a bin states another place than its own");
    if (size == 0 || size % kBinAlignment != 0 || size > total - begin) {
      return Damaged(begin + 8, fmt::format("a bin of {} bytes does not fit", size));
    }
    PROV_TRY(map.WalkBin(begin, begin + size));
    begin += size;
  }
  return map;
}

Result<void> CellMap::WalkBin(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t at = begin + kBinHeaderBytes; at < end;) {
    const std::int64_t stored = static_cast<std::int32_t>(Load32(bins_, at));
    const std::int64_t size = std::abs(stored);
    if (size < 8 || size % 8 != 0 || size > end - at)
      return Damaged(at, fmt::format("a cell of {} bytes does not fit its bin", size));
    if (stored < 0) starts_[at / 8] = true;
    at += static_cast<std::uint32_t>(size);
  }
  return {};
}

bool CellMap::IsInUse(std::uint32_t offset) const {
  return offset < base_.bins_bytes && offset % 8 == 0 && starts_[offset / 8];
}

Result<std::string_view> CellMap::Content(std::uint32_t offset, std::string_view role) const {
  if (!IsInUse(offset)) {
    return Damaged(offset, fmt::format("no cell in use starts where the {} should be", role));
  }
  const std::uint32_t size = 0U - Load32(bins_, offset);
  return bins_.substr(offset + kCellHeaderBytes, size - kCellHeaderBytes);
}

Result<std::string_view> CellMap::Claim(std::uint32_t offset, std::string_view role) {
  const std::string_view content = PROV_TRY(Content(offset, role));
  if (claimed_[offset / 8])
    return Damaged(offset, fmt::format("the cell of the {} belongs to something else already", role));
  claimed_[offset / 8] = true;
  return content;
}

std::optional<std::uint32_t> CellMap::FirstUnclaimed(std::uint32_t from) const {
  for (std::size_t i = from / 8; i < starts_.size(); ++i) {
    if (starts_[i] && !claimed_[i]) return static_cast<std::uint32_t>(8 * i);
  }
  return std::nullopt;
}

}  // namespace prov::images::regf
