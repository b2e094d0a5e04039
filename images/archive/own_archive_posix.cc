#include "images/archive/own_archive_posix.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <string>

namespace prov::images {
namespace {

constexpr std::size_t kBlock = 512;  // of tar
constexpr std::size_t kSector = 2048;

// All of these: the name of the first entry, nullopt if this is no such archive.
std::optional<std::string> FirstOfTar(std::string_view head) {
  constexpr std::size_t kNameBytes = 100;
  if (head.size() < kBlock || head.substr(257, 5) != "ustar") return std::nullopt;
  const std::string_view name = head.substr(0, kNameBytes);
  return std::string(name.substr(0, name.find('\0')));
}

std::optional<std::string> FirstOfTgz(std::string_view head) {
  z_stream stream{};
  constexpr int kGzipOnly = 15 + 16;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) return std::nullopt;
  std::string block(kBlock, '\0');
  std::string input(head);  // zlib's pointer is not const
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(block.data());
  stream.avail_out = static_cast<uInt>(block.size());
  inflate(&stream, Z_SYNC_FLUSH);
  inflateEnd(&stream);
  if (stream.avail_out != 0) return std::nullopt;
  return FirstOfTar(block);
}

std::optional<std::string> FirstOfZip(std::string_view head) {
  constexpr std::size_t kHeader = 30;
  if (head.size() < kHeader || !head.starts_with("PK\3\4")) return std::nullopt;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(head[at])); };
  const std::size_t length = byte(26) | byte(27) << 8U;
  if (head.size() - kHeader < length) return std::nullopt;
  return std::string(head.substr(kHeader, length));
}

bool IsOurDrive(std::string_view head) {
  constexpr std::size_t kVolume = 16 * kSector;
  constexpr std::size_t kApplicationAt = 574;
  constexpr std::size_t kApplicationBytes = 128;
  if (head.size() < kVolume + kSector || head.substr(kVolume, 6) != "\1CD001") return false;
  std::string wanted(kIsoApplication);
  wanted.resize(kApplicationBytes, ' ');
  return head.substr(kVolume + kApplicationAt, kApplicationBytes) == wanted;
}

}  // namespace

bool BeginsAsOurs(std::string_view head, const ArchiveOptions& options) {
  std::optional<std::string> first;
  switch (options.format) {
    case ArchiveFormat::kIso:
      return IsOurDrive(head);
    case ArchiveFormat::kTar:
      first = FirstOfTar(head);
      break;
    case ArchiveFormat::kTgz:
      first = FirstOfTgz(head);
      break;
    case ArchiveFormat::kZip:
      first = FirstOfZip(head);
      break;
  }
  return first && (options.first_entries.empty() ||
                   std::ranges::find(options.first_entries, *first) != options.first_entries.end());
}

}  // namespace prov::images
