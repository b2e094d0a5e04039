// MakeArchive: loads libarchive on first use, recognises archives that this program made, and writes the archive.
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "images/archive/archive.h"
#include "images/archive/normalise.h"
#include "images/archive/output_file_posix.h"
#include "provisioner/base/posix_api.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/result.h"
#include "provisioner/base/text.h"

namespace prov::images {
namespace {

// The functions of libarchive that are used. The library is loaded when an archive is written: no other command needs
// it, and it loads fifteen more.
struct ArchiveFunctions {
  decltype(&::archive_write_new) write_new;
  decltype(&::archive_write_set_format_ustar) set_format_ustar;
  decltype(&::archive_write_set_format_zip) set_format_zip;
  decltype(&::archive_write_set_format_iso9660) set_format_iso9660;
  decltype(&::archive_write_set_format_option) set_format_option;
  decltype(&::archive_write_add_filter_gzip) add_filter_gzip;
  decltype(&::archive_write_set_filter_option) set_filter_option;
  decltype(&::archive_write_zip_set_compression_store) zip_store;
  decltype(&::archive_write_zip_set_compression_deflate) zip_deflate;
  decltype(&::archive_write_set_bytes_per_block) set_bytes_per_block;
  decltype(&::archive_write_set_bytes_in_last_block) set_bytes_in_last_block;
  decltype(&::archive_write_open) open;
  decltype(&::archive_write_header) header;
  decltype(&::archive_write_data) data;
  decltype(&::archive_write_close) close;
  decltype(&::archive_write_fail) fail;
  decltype(&::archive_write_free) free;
  decltype(&::archive_error_string) error_string;
  decltype(&::archive_entry_new) entry_new;
  decltype(&::archive_entry_clear) entry_clear;
  decltype(&::archive_entry_free) entry_free;
  decltype(&::archive_entry_set_pathname) entry_set_pathname;
  decltype(&::archive_entry_set_filetype) entry_set_filetype;
  decltype(&::archive_entry_set_perm) entry_set_perm;
  decltype(&::archive_entry_set_size) entry_set_size;
  decltype(&::archive_entry_set_mtime) entry_set_mtime;
};

std::optional<ArchiveFunctions> LoadFunctions() {
  posix::Library library({"libarchive.so.13"});
  ArchiveFunctions f{};
  library.Find(f.write_new, "archive_write_new");
  library.Find(f.set_format_ustar, "archive_write_set_format_ustar");
  library.Find(f.set_format_zip, "archive_write_set_format_zip");
  library.Find(f.set_format_iso9660, "archive_write_set_format_iso9660");
  library.Find(f.set_format_option, "archive_write_set_format_option");
  library.Find(f.add_filter_gzip, "archive_write_add_filter_gzip");
  library.Find(f.set_filter_option, "archive_write_set_filter_option");
  library.Find(f.zip_store, "archive_write_zip_set_compression_store");
  library.Find(f.zip_deflate, "archive_write_zip_set_compression_deflate");
  library.Find(f.set_bytes_per_block, "archive_write_set_bytes_per_block");
  library.Find(f.set_bytes_in_last_block, "archive_write_set_bytes_in_last_block");
  library.Find(f.open, "archive_write_open");
  library.Find(f.header, "archive_write_header");
  library.Find(f.data, "archive_write_data");
  library.Find(f.close, "archive_write_close");
  library.Find(f.fail, "archive_write_fail");
  library.Find(f.free, "archive_write_free");
  library.Find(f.error_string, "archive_error_string");
  library.Find(f.entry_new, "archive_entry_new");
  library.Find(f.entry_clear, "archive_entry_clear");
  library.Find(f.entry_free, "archive_entry_free");
  library.Find(f.entry_set_pathname, "archive_entry_set_pathname");
  library.Find(f.entry_set_filetype, "archive_entry_set_filetype");
  library.Find(f.entry_set_perm, "archive_entry_set_perm");
  library.Find(f.entry_set_size, "archive_entry_set_size");
  library.Find(f.entry_set_mtime, "archive_entry_set_mtime");
  // normalise.h replaces the local times that the library computes. But without a TZ, the C library checks
  // /etc/localtime for each of them, which takes as long as the rest of a drive.
  setenv("TZ", "UTC0", 0);
  return library.complete() ? std::optional(f) : std::nullopt;
}

// Errors: target (it can't be loaded).
Result<const ArchiveFunctions*> LoadArchive() {
  static const std::optional<ArchiveFunctions> functions = LoadFunctions();
  if (functions) return &*functions;
  return Fail(Code::kTarget,
              "archives and drives need libarchive, and it can't be loaded: install libarchive13 (RHEL: libarchive), "
              "or take --format dir",
              "libarchive.so.13");
}

// The number of first bytes by which a file is recognised.
inline constexpr std::size_t kHeadBytes = std::size_t{17} * 2048;

// In the volume descriptor of our drives.
inline constexpr const char* kIsoApplication = "PROVISIONER";

constexpr std::size_t kBlock = 512;  // of tar
constexpr std::size_t kSector = 2048;

// Each of these returns the name of the first entry; nullopt if the file is not such an archive.
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

// Whether a file is an archive that this program made. `head`: the first kHeadBytes of the file, or all of it. An
// archive is recognised by its first entry, a drive by its application.
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

constexpr int kBlockBytes = 1 << 18;
constexpr std::int64_t kFirstZipTime = 315532800;  // 1980: earlier times are stored as this one
// Smaller files stay uncompressed in a ZIP file: setting up the compressor costs more than it saves.
constexpr std::size_t kSmall = 512;

class Archive final : public FileSink {
 public:
  Archive(const ArchiveFunctions& calls, ArchiveOptions options, std::unique_ptr<OutputFile> file)
      : calls_(calls), options_(std::move(options)), file_(std::move(file)), place_(file_->path()) {}
  Archive(const ArchiveFunctions& calls, ArchiveOptions options, std::string& memory)
      : calls_(calls), options_(std::move(options)), memory_(&memory), place_("an archive in memory") {}
  ~Archive() override {
    abandoned_ = !finished_;
    if (archive_ != nullptr) calls_.free(archive_);
    if (entry_ != nullptr) calls_.entry_free(entry_);
  }

  Result<void> Open() {
    archive_ = calls_.write_new();
    entry_ = calls_.entry_new();
    if (archive_ == nullptr || entry_ == nullptr) return Fail(Code::kIo, "out of memory", place_);
    PROV_TRY(SetFormat());
    PROV_TRY(Check(calls_.set_bytes_per_block(archive_, kBlockBytes)));
    PROV_TRY(Check(calls_.set_bytes_in_last_block(archive_, 1)));
    return Check(calls_.open(archive_, this, nullptr, &Archive::OnBytes, nullptr));
  }

  Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) override {
    if (!IsSafeRelativePath(path)) return Fail(Code::kInternal, "is not a path for an archive", std::string(path));
    if (options_.format == ArchiveFormat::kIso) PROV_TRY(CheckJolietPath(path));
    PROV_TRY(AddFolders(path));
    if (options_.format == ArchiveFormat::kZip)
      PROV_TRY(Check(bytes.size() < kSmall ? calls_.zip_store(archive_) : calls_.zip_deflate(archive_)));
    PROV_TRY(AddEntry(std::string(path), AE_IFREG, mode, bytes.size()));
    const bool taken =
        bytes.empty() || calls_.data(archive_, bytes.data(), bytes.size()) == static_cast<la_ssize_t>(bytes.size());
    if (taken && !failure_) return {};
    return WriteError(std::string(path));
  }

  Result<void> Finish() override {
    PROV_TRY(Check(calls_.close(archive_)));
    finished_ = true;
    if (memory_ != nullptr) return {};
    if (options_.format == ArchiveFormat::kIso)
      PROV_TRY(file_->Edit([&](auto image) { return NormaliseIso(image, options_.time_unix, options_.label); }));
    if (options_.format == ArchiveFormat::kZip)
      PROV_TRY(file_->Edit([&](auto archive) { return NormaliseZip(archive, options_.time_unix); }));
    return file_->Keep(options_.mode, options_.flush);
  }

 private:
  static la_ssize_t OnBytes(struct archive*, void* self, const void* bytes, std::size_t size) {
    auto& out = *static_cast<Archive*>(self);
    if (!out.failure_ && !out.abandoned_) {
      Result<void> done = out.Write({static_cast<const char*>(bytes), size});
      if (!done) out.failure_ = std::move(done).error();
    }
    // Never report a failure: after one, libarchive 3.6 does not free its memory.
    return static_cast<la_ssize_t>(size);
  }

  Result<void> Write(std::string_view bytes) {
    if (memory_ == nullptr) return file_->Write(bytes);
    memory_->append(bytes);
    return {};
  }

  // Reports our own write failure, which the library does not know.
  std::unexpected<Error> WriteError(const std::string& where) {
    if (failure_) return std::unexpected(*failure_);
    const char* said = calls_.error_string(archive_);
    return Fail(Code::kIo, fmt::format("libarchive can't write it: {}", said == nullptr ? "no reason given" : said),
                where);
  }
  Result<void> Check(int status) {
    if (status == ARCHIVE_OK && !failure_) return {};
    return WriteError(place_);
  }

  Result<void> SetFormat() {
    switch (options_.format) {
      case ArchiveFormat::kTar:
        return Check(calls_.set_format_ustar(archive_));
      case ArchiveFormat::kTgz:
        PROV_TRY(Check(calls_.set_format_ustar(archive_)));
        PROV_TRY(Check(calls_.add_filter_gzip(archive_)));
        return Check(calls_.set_filter_option(archive_, "gzip", "timestamp", nullptr));
      case ArchiveFormat::kZip:
        return Check(calls_.set_format_zip(archive_));
      case ArchiveFormat::kIso:
        break;
    }
    PROV_TRY(Check(calls_.set_format_iso9660(archive_)));
    const std::pair<const char*, const char*> settings[] = {
        {"volume-id", options_.label.c_str()},
        {"application-id", kIsoApplication},
        {"iso-level", "3"},
        {"joliet", "1"},
        {"rockridge", "strict"},  // keeps modes as given
        {"pad", nullptr},         // no zeros at the end, which only drives for real discs need
    };
    for (const auto& [name, value] : settings)
      PROV_TRY(Check(calls_.set_format_option(archive_, "iso9660", name, value)));
    return {};
  }

  // Adds the folders above a file that are not above the previous file.
  Result<void> AddFolders(std::string_view path) {
    std::size_t depth = 0;
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
      const std::string_view folder = path.substr(0, slash);
      if (depth >= folders_.size() || folders_[depth] != folder) {
        folders_.resize(depth);
        folders_.emplace_back(folder);
        PROV_TRY(AddEntry(folders_.back(), AE_IFDIR, 0755, 0));
      }
      ++depth;
    }
    folders_.resize(depth);
    return {};
  }

  Result<void> AddEntry(const std::string& path, unsigned type, unsigned mode, std::size_t size) {
    calls_.entry_clear(entry_);
    calls_.entry_set_pathname(entry_, path.c_str());
    calls_.entry_set_filetype(entry_, type);
    calls_.entry_set_perm(entry_, mode);
    calls_.entry_set_size(entry_, static_cast<la_int64_t>(size));
    calls_.entry_set_mtime(entry_, options_.time_unix, 0);
    if (calls_.header(archive_, entry_) == ARCHIVE_OK) return {};
    return WriteError(path);
  }

  const ArchiveFunctions& calls_;
  ArchiveOptions options_;
  std::unique_ptr<OutputFile> file_;  // or `memory_`
  std::string* memory_ = nullptr;
  std::string place_;  // for messages
  struct archive* archive_ = nullptr;
  struct archive_entry* entry_ = nullptr;
  std::vector<std::string> folders_;  // above the last entry, outermost first
  std::optional<Error> failure_;
  bool finished_ = false;
  bool abandoned_ = false;  // drops what the library still writes when it is freed
};

}  // namespace

Result<void> CheckReplaceableArchive(const std::string& path, const ArchiveOptions& options) {
  return CheckReplaceable(path, kHeadBytes, [&](std::string_view head) { return BeginsAsOurs(head, options); });
}

Result<std::unique_ptr<FileSink>> MakeArchive(const std::string& path, const ArchiveOptions& options) {
  PROV_TRY(CheckArchiveTime(options.time_unix));
  if (options.format == ArchiveFormat::kIso) PROV_TRY(CheckVolumeLabel(options.label));
  const ArchiveFunctions* calls = PROV_TRY(LoadArchive());
  PROV_TRY(CheckReplaceableArchive(path, options));
  ArchiveOptions normalised = options;
  if (options.format == ArchiveFormat::kZip) normalised.time_unix = std::max(options.time_unix, kFirstZipTime);
  const Beside beside = options.flush ? Beside::kAnything : Beside::kNothing;
  auto archive = std::make_unique<Archive>(*calls, std::move(normalised), PROV_TRY(OutputFile::Create(path, beside)));
  PROV_TRY(archive->Open());
  return archive;
}

Result<std::unique_ptr<FileSink>> MakeArchiveIn(std::string& memory, const ArchiveOptions& options) {
  PROV_TRY(CheckArchiveTime(options.time_unix));
  if (options.format != ArchiveFormat::kTar && options.format != ArchiveFormat::kTgz)
    return Fail(Code::kInternal, "this form of archive is normalised in a file", "an archive in memory");
  auto archive = std::make_unique<Archive>(*PROV_TRY(LoadArchive()), options, memory);
  PROV_TRY(archive->Open());
  return archive;
}

}  // namespace prov::images
