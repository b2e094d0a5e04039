// SettleZip: the times of a ZIP file, in its finished bytes.
#include <algorithm>
#include <cstddef>
#include <string>

#include "images/archive/archive_names.h"
#include "images/archive/settle.h"

namespace prov::images {
namespace {

constexpr std::string_view kEnd = "PK\5\6";
constexpr std::string_view kCentral = "PK\1\2";
constexpr std::string_view kLocal = "PK\3\4";
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralTimeAt = 12;
constexpr std::size_t kLocalTimeAt = 10;
constexpr std::size_t kMostEntries = 0xFFFF;  // from there on another directory counts

std::size_t Number(std::string_view bytes, std::size_t at, std::size_t size) {  // little-endian
  std::size_t out = 0;
  for (std::size_t i = size; i > 0; --i) out = out << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  return out;
}

std::string DosTime(std::int64_t time_unix) {
  const UtcTime t = ToUtc(time_unix);
  const auto clock = static_cast<unsigned>(t.hour << 11 | t.minute << 5 | t.second / 2);
  const auto date = static_cast<unsigned>((t.year - 1980) << 9 | t.month << 5 | t.day);
  std::string out;
  for (const unsigned half : {clock, date}) {
    out += static_cast<char>(half & 0xFFU);
    out += static_cast<char>(half >> 8U);
  }
  return out;
}

}  // namespace

Result<void> SettleZip(std::span<char> archive, std::int64_t time_unix) {
  const auto odd = [] { return Fail(Code::kInternal, "the archive is not laid out as ZIP has it", "libarchive"); };
  const std::string_view bytes(archive.data(), archive.size());
  if (bytes.size() < kEndBytes || !bytes.substr(bytes.size() - kEndBytes).starts_with(kEnd)) return odd();
  const std::size_t end = bytes.size() - kEndBytes;
  const std::size_t entries = Number(bytes, end + 10, 2);
  if (entries == kMostEntries)
    return Fail(Code::kSizeLimit, "a ZIP file holds fewer than 65,535 files and folders; use --format tar", "zip");
  const std::string time = DosTime(time_unix);
  std::size_t at = Number(bytes, end + 16, 4);
  for (std::size_t i = 0; i < entries; ++i) {
    if (at > end || end - at < kCentralBytes || !bytes.substr(at).starts_with(kCentral)) return odd();
    const std::size_t local = Number(bytes, at + 42, 4);
    if (local >= at || at - local < kLocalBytes || !bytes.substr(local).starts_with(kLocal)) return odd();
    std::ranges::copy(time, &archive[at + kCentralTimeAt]);
    std::ranges::copy(time, &archive[local + kLocalTimeAt]);
    at += kCentralBytes + Number(bytes, at + 28, 2) + Number(bytes, at + 30, 2) + Number(bytes, at + 32, 2);
  }
  return {};
}

}  // namespace prov::images
