#include "images/registry/log_reader.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "images/registry/hive_format.h"

namespace prov::images::regf {
namespace {

class MarvinState {
 public:
  explicit MarvinState(std::uint64_t seed)
      : low_(static_cast<std::uint32_t>(seed & 0xFFFFFFFFU)), high_(static_cast<std::uint32_t>(seed >> 32U)) {}

  void Mix(std::uint32_t word) {
    low_ += word;
    high_ ^= low_;
    low_ = std::rotl(low_, 20) + high_;
    high_ = std::rotl(high_, 9) ^ low_;
    low_ = std::rotl(low_, 27) + high_;
    high_ = std::rotl(high_, 19);
  }

  std::uint64_t Value() const { return (std::uint64_t{high_} << 32U) | low_; }

 private:
  std::uint32_t low_;
  std::uint32_t high_;
};

}  // namespace

std::uint64_t Marvin32(std::string_view bytes, std::uint64_t seed) {
  MarvinState state(seed);
  const std::size_t whole = bytes.size() / 4 * 4;
  for (std::size_t at = 0; at < whole; at += 4) state.Mix(Load32(bytes, at));
  // The last word is the remaining bytes, followed by 0x80.
  std::uint32_t last = 0x80;
  for (std::size_t at = bytes.size(); at > whole; --at)
    last = (last << 8U) | static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at - 1]));
  state.Mix(last);
  state.Mix(0);
  return state.Value();
}

namespace {

// The log begins with the start of a base block. Sizes of entries are multiples of the same number.
constexpr std::size_t kLogAlignment = 512;
constexpr std::size_t kEntryHeaderBytes = 40;
constexpr std::size_t kHashedHeaderBytes = 32;
constexpr std::size_t kPageReferenceBytes = 8;
constexpr std::uint32_t kNewLog = 6;  // file type of a base block; 1 and 2 are older formats

std::unexpected<Error> NoLog(std::string what) { return Fail(Code::kDirtyHive, std::move(what)); }

std::optional<std::vector<LogPage>> ReadPages(std::string_view entry, std::uint32_t bins_bytes) {
  const std::uint32_t count = Load32(entry, 20);
  if (count == 0 || count > (entry.size() - kEntryHeaderBytes) / kPageReferenceBytes) return std::nullopt;
  std::vector<LogPage> pages;
  std::string_view data = entry.substr(kEntryHeaderBytes + (kPageReferenceBytes * count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t offset = Load32(entry, kEntryHeaderBytes + (kPageReferenceBytes * i));
    const std::uint32_t size = Load32(entry, kEntryHeaderBytes + (kPageReferenceBytes * i) + 4);
    const bool aligned = offset % kLogAlignment == 0 && size % kLogAlignment == 0;
    if (!aligned || size == 0 || size > data.size() || size > bins_bytes || offset > bins_bytes - size)
      return std::nullopt;
    pages.push_back({offset, data.substr(0, size)});
    data.remove_prefix(size);
  }
  return pages;
}

// The entry at the front of `rest`, if it is complete and has this number; removes it from `rest`.
std::optional<LogEntry> ReadEntry(std::string_view& rest, std::uint32_t sequence) {
  if (rest.size() < kLogAlignment || !rest.starts_with("HvLE")) return std::nullopt;
  const std::uint32_t size = Load32(rest, 4);
  if (size < kLogAlignment || size % kLogAlignment != 0 || size > rest.size()) return std::nullopt;
  const std::string_view bytes = rest.substr(0, size);
  LogEntry entry{Load32(bytes, 12), Load32(bytes, 8), Load32(bytes, 16), {}};
  if (entry.sequence != sequence) return std::nullopt;
  if (Load64(bytes, kHashedHeaderBytes) != Marvin32(bytes.substr(0, kHashedHeaderBytes))) return std::nullopt;
  if (Load64(bytes, 24) != Marvin32(bytes.substr(kEntryHeaderBytes))) return std::nullopt;
  if (entry.bins_bytes == 0 || entry.bins_bytes % kBinAlignment != 0) return std::nullopt;
  std::optional<std::vector<LogPage>> pages = ReadPages(bytes, entry.bins_bytes);
  if (!pages) return std::nullopt;
  entry.pages = *std::move(pages);
  rest.remove_prefix(size);
  return entry;
}

}  // namespace

Result<HiveLog> ReadLog(std::string_view bytes) {
  if (bytes.empty()) return NoLog("is empty");
  if (bytes.size() < kLogAlignment || bytes.substr(0, 4) != "regf") return NoLog("is not a log of a hive");
  if (Load32(bytes, 508) != BaseBlockChecksum(bytes)) return NoLog("has a damaged header (its checksum is wrong)");
  const std::uint32_t type = Load32(bytes, 28);
  if (type == 1 || type == 2) return NoLog("is of the format before Windows 8.1, which is not replayed here");
  if (type != kNewLog || Load32(bytes, 20) != 1) return NoLog(fmt::format("is of an unknown format ({})", type));
  if (Load32(bytes, 4) != Load32(bytes, 8)) return NoLog("has a damaged header (its sequence numbers differ)");
  HiveLog log{Load32(bytes, 4), Load32(bytes, 24), Load32(bytes, 36), {}};
  std::string_view rest = bytes.substr(kLogAlignment);
  std::uint32_t next = log.first;
  while (std::optional<LogEntry> entry = ReadEntry(rest, next)) {
    log.entries.push_back(*std::move(entry));
    ++next;
  }
  return log;
}

}  // namespace prov::images::regf
