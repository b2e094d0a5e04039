#include "images/archive/normalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace prov::images {

namespace {

// Year, month, day, hour, minute and second, in UTC.
std::array<int, 6> CalendarOf(std::int64_t time_unix) {
  const std::chrono::sys_seconds at{std::chrono::seconds(time_unix)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const auto seconds = static_cast<int>((at - day).count());
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          seconds / 3600,
          seconds / 60 % 60,
          seconds % 60};
}

constexpr std::size_t kSectorBytes = 2048;
constexpr std::size_t kFirstDescriptor = 16;  // sector

enum DescriptorType : unsigned char { kPrimary = 1, kSupplementary = 2, kTerminator = 255 };

// Within a volume descriptor.
constexpr std::size_t kLabelAt = 40;
constexpr std::size_t kLabelBytes = 32;
constexpr std::size_t kPathTableAt = 140;
constexpr std::size_t kRootAt = 156;
constexpr std::size_t kCreatedAt = 813;
constexpr std::size_t kModifiedAt = 830;
constexpr std::size_t kEffectiveAt = 864;

// Within a directory record.
constexpr std::size_t kExtentAt = 2;
constexpr std::size_t kSizeAt = 10;
constexpr std::size_t kDateAt = 18;
constexpr std::size_t kFlagsAt = 25;
constexpr std::size_t kNameLengthAt = 32;
constexpr std::size_t kNameAt = 33;
constexpr unsigned kIsFolder = 2;

constexpr unsigned kLongTimes = 0x80;  // of Rock Ridge's TF
constexpr std::size_t kShortTimeBytes = 7;

class IsoNormaliser {
 public:
  IsoNormaliser(std::span<char> image, std::int64_t time_unix, std::string_view label) : image_(image), label_(label) {
    const auto [year, month, day, hour, minute, second] = CalendarOf(time_unix);
    for (const int field : {year - 1900, month, day, hour, minute, second, 0}) short_time_ += static_cast<char>(field);
    long_time_ = fmt::format("{:04}{:02}{:02}{:02}{:02}{:02}00", year, month, day, hour, minute, second) + '\0';
  }

  Result<void> Run() {
    for (std::size_t sector = kFirstDescriptor; sound_; ++sector) {
      const std::size_t at = sector * kSectorBytes;
      if (Text(at + 1, 5) != "CD001") return Odd();
      const unsigned char type = Byte(at);
      if (type == kTerminator) {
        ForgetWriter(sector + 1);
        break;
      }
      if (type == kPrimary || type == kSupplementary) NormaliseDescriptor(at, type);
    }
    // Every folder takes at least one sector, so more folders than sectors mean a cycle.
    for (std::size_t i = 0; sound_ && i < folders_.size(); ++i) {
      sound_ = i < image_.size() / kSectorBytes;
      NormaliseFolder(Extent(folders_[i]));
    }
    return sound_ ? Result<void>() : Odd();
  }

 private:
  struct Extent {
    std::size_t at;
    std::size_t size;
  };

  static std::unexpected<Error> Odd() {
    return Fail(Code::kInternal, "the image is not laid out as ISO 9660 has it", "libarchive");
  }

  bool Holds(std::size_t at, std::size_t size) {
    if (at <= image_.size() && size <= image_.size() - at) return true;
    sound_ = false;
    return false;
  }
  std::string_view Text(std::size_t at, std::size_t size) {
    return Holds(at, size) ? std::string_view(&image_[at], size) : std::string_view();
  }
  unsigned char Byte(std::size_t at) { return Holds(at, 1) ? static_cast<unsigned char>(image_[at]) : 0; }
  std::size_t Number(std::size_t at) {  // little-endian
    std::size_t out = 0;
    for (std::size_t i = 4; i > 0; --i) out = out << 8U | Byte(at + i - 1);
    return out;
  }
  void Put(std::size_t at, std::string_view bytes) {
    if (Holds(at, bytes.size())) std::ranges::copy(bytes, &image_[at]);
  }

  void NormaliseDescriptor(std::size_t at, unsigned char type) {
    for (const std::size_t date : {kCreatedAt, kModifiedAt, kEffectiveAt}) Put(at + date, long_time_);
    // libarchive keeps Joliet's label as given, but writes this one in capitals; its readers compare all of it.
    if (type == kPrimary) {
      std::string label(label_);
      label.resize(kLabelBytes, ' ');
      Put(at + kLabelAt, label);
      first_used_ = Number(at + kPathTableAt);
    }
    Put(at + kRootAt + kDateAt, short_time_);
    folders_.push_back({Number(at + kRootAt + kExtentAt) * kSectorBytes, Number(at + kRootAt + kSizeAt)});
  }

  // Clears the sector after the descriptors, which only says when, by whom and with which options the image was made.
  void ForgetWriter(std::size_t sector) {
    if (sector >= first_used_ || !Holds(sector * kSectorBytes, kSectorBytes)) return;
    std::ranges::fill(image_.subspan(sector * kSectorBytes, kSectorBytes), '\0');
  }

  void NormaliseFolder(const Extent& folder) {
    // A record that does not fit into the rest of a sector begins in the next one.
    for (std::size_t sector = folder.at; sound_ && sector < folder.at + folder.size; sector += kSectorBytes) {
      std::size_t at = sector;
      while (sound_ && at < sector + kSectorBytes && Byte(at) != 0) {
        NormaliseRecord(at, Byte(at));
        at += Byte(at);
      }
    }
  }

  void NormaliseRecord(std::size_t at, std::size_t size) {
    const std::size_t name_length = Byte(at + kNameLengthAt);
    const std::size_t name_end = kNameAt + name_length + (name_length % 2 == 0 ? 1 : 0);
    if (name_end > size + 1 || !Holds(at, size)) {
      sound_ = false;
      return;
    }
    Put(at + kDateAt, short_time_);
    if (name_end < size) NormaliseExtensions(at + name_end, size - name_end, 0);
    // A name of one byte 0 or 1 means the folder itself or its parent.
    const bool inner = name_length > 1 || Byte(at + kNameAt) > 1;
    if ((Byte(at + kFlagsAt) & kIsFolder) != 0 && inner)
      folders_.push_back({Number(at + kExtentAt) * kSectorBytes, Number(at + kSizeAt)});
  }

  // Rock Ridge's fields: TF has times, CE refers to further fields.
  void NormaliseExtensions(std::size_t at, std::size_t size, int depth) {
    constexpr std::size_t kHeadBytes = 4;
    constexpr int kMostAreas = 8;
    if (depth > kMostAreas) return;
    while (sound_ && size >= kHeadBytes) {
      const std::size_t length = Byte(at + 2);
      if (length < kHeadBytes || length > size) return;
      const std::string_view kind = Text(at, 2);
      if (kind == "TF" && (Byte(at + kHeadBytes) & kLongTimes) == 0) {
        for (std::size_t i = kHeadBytes + 1; i + kShortTimeBytes <= length; i += kShortTimeBytes)
          Put(at + i, short_time_);
      }
      if (kind == "CE")
        NormaliseExtensions(Number(at + 4) * kSectorBytes + Number(at + 12), Number(at + 20), depth + 1);
      at += length;
      size -= length;
    }
  }

  std::span<char> image_;
  std::string_view label_;
  std::string short_time_;
  std::string long_time_;
  std::size_t first_used_ = 0;  // sector
  std::vector<Extent> folders_;
  bool sound_ = true;
};

}  // namespace

Result<void> NormaliseIso(std::span<char> image, std::int64_t time_unix, std::string_view label) {
  return IsoNormaliser(image, time_unix, label).Run();
}

namespace {

constexpr std::string_view kEnd = "PK\5\6";
constexpr std::string_view kCentral = "PK\1\2";
constexpr std::string_view kLocal = "PK\3\4";
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCentralBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralTimeAt = 12;
constexpr std::size_t kLocalTimeAt = 10;
constexpr std::size_t kMostEntries = 0xFFFF;  // with more, another directory is used

std::size_t Number(std::string_view bytes, std::size_t at, std::size_t size) {  // little-endian
  std::size_t out = 0;
  for (std::size_t i = size; i > 0; --i) out = out << 8U | static_cast<unsigned char>(bytes[at + i - 1]);
  return out;
}

std::string DosTime(std::int64_t time_unix) {
  const auto [year, month, day, hour, minute, second] = CalendarOf(time_unix);
  const auto clock = static_cast<unsigned>(hour << 11 | minute << 5 | second / 2);
  const auto date = static_cast<unsigned>((year - 1980) << 9 | month << 5 | day);
  std::string out;
  for (const unsigned half : {clock, date}) {
    out += static_cast<char>(half & 0xFFU);
    out += static_cast<char>(half >> 8U);
  }
  return out;
}

}  // namespace

Result<void> NormaliseZip(std::span<char> archive, std::int64_t time_unix) {
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
