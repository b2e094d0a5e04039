#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "images/archive/archive.h"
#include "images/archive/archive_functions_posix.h"
#include "images/archive/archive_names.h"
#include "images/archive/output_file_posix.h"
#include "images/archive/own_archive_posix.h"
#include "images/archive/settle.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"

namespace prov::images {
namespace {

constexpr int kBlockBytes = 1 << 18;
constexpr std::int64_t kFirstZipTime = 315532800;  // 1980: what is earlier is stored as that
// What is smaller stays as it is in a ZIP file: setting up the compressor costs more than it saves.
constexpr std::size_t kSmall = 512;

class Archive final : public FileSink {
 public:
  Archive(const ArchiveFunctions& calls, ArchiveOptions options, std::unique_ptr<OutputFile> file)
      : calls_(calls), options_(std::move(options)), file_(std::move(file)) {}
  ~Archive() override {
    abandoned_ = !finished_;
    if (archive_ != nullptr) calls_.free(archive_);
    if (entry_ != nullptr) calls_.entry_free(entry_);
  }

  Result<void> Open() {
    archive_ = calls_.write_new();
    entry_ = calls_.entry_new();
    if (archive_ == nullptr || entry_ == nullptr) return Fail(Code::kIo, "out of memory", file_->path());
    PROV_TRY(SetFormat());
    PROV_TRY(Check(calls_.set_bytes_per_block(archive_, kBlockBytes)));
    PROV_TRY(Check(calls_.set_bytes_in_last_block(archive_, 1)));
    return Check(calls_.open(archive_, this, nullptr, &Archive::OnBytes, nullptr));
  }

  Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) override {
    if (!IsSafeRelativePath(path)) return Fail(Code::kInternal, "is no path for an archive", std::string(path));
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
    if (options_.format == ArchiveFormat::kIso)
      PROV_TRY(file_->Edit([&](auto image) { return SettleIso(image, options_.time_unix, options_.label); }));
    if (options_.format == ArchiveFormat::kZip)
      PROV_TRY(file_->Edit([&](auto archive) { return SettleZip(archive, options_.time_unix); }));
    return file_->Keep(options_.mode, options_.flush);
  }

 private:
  static la_ssize_t OnBytes(struct archive*, void* self, const void* bytes, std::size_t size) {
    auto& out = *static_cast<Archive*>(self);
    if (!out.failure_ && !out.abandoned_) {
      Result<void> done = out.file_->Write({static_cast<const char*>(bytes), size});
      if (!done) out.failure_ = std::move(done).error();
    }
    // Never a failure: behind one, libarchive 3.6 no longer frees what it holds.
    return static_cast<la_ssize_t>(size);
  }

  // Of our own write the library knows nothing.
  std::unexpected<Error> WriteError(const std::string& where) {
    if (failure_) return std::unexpected(*failure_);
    const char* said = calls_.error_string(archive_);
    return Fail(Code::kIo, fmt::format("libarchive can't write it: {}", said == nullptr ? "no reason given" : said),
                where);
  }
  Result<void> Check(int status) {
    if (status == ARCHIVE_OK && !failure_) return {};
    return WriteError(file_->path());
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
        {"rockridge", "strict"},  // modes as they are given
        {"pad", nullptr},         // zeros at the end, which only drives for real discs want
    };
    for (const auto& [name, value] : settings)
      PROV_TRY(Check(calls_.set_format_option(archive_, "iso9660", name, value)));
    return {};
  }

  // The folders above a file that the file before it was not in.
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
  std::unique_ptr<OutputFile> file_;
  struct archive* archive_ = nullptr;
  struct archive_entry* entry_ = nullptr;
  std::vector<std::string> folders_;  // above the last entry, outermost first
  std::optional<Error> failure_;
  bool finished_ = false;
  bool abandoned_ = false;  // what the library still writes when it is freed goes nowhere
};

}  // namespace

Result<std::unique_ptr<FileSink>> MakeArchive(const std::string& path, const ArchiveOptions& options) {
  PROV_TRY(CheckArchiveTime(options.time_unix));
  if (options.format == ArchiveFormat::kIso) PROV_TRY(CheckVolumeLabel(options.label));
  const ArchiveFunctions* calls = PROV_TRY(LoadArchive());
  const auto ours = [&](std::string_view head) { return BeginsAsOurs(head, options); };
  PROV_TRY(CheckReplaceable(path, kTellingBytes, ours));
  ArchiveOptions settled = options;
  if (options.format == ArchiveFormat::kZip) settled.time_unix = std::max(options.time_unix, kFirstZipTime);
  const Beside beside = options.flush ? Beside::kAnything : Beside::kNothing;
  auto archive = std::make_unique<Archive>(*calls, std::move(settled), PROV_TRY(OutputFile::Create(path, beside)));
  PROV_TRY(archive->Open());
  return archive;
}

}  // namespace prov::images
