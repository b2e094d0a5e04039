// Archives and images of drives, written by libarchive in one pass. The same entries and options give the same bytes,
// whatever the time, time zone and place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "images/archive/file_sink.h"
#include "provisioner/base/result.h"

namespace prov::images {

enum class ArchiveFormat {
  kTar,
  kTgz,
  kZip,
  kIso,  // ISO 9660 with Joliet's names for Windows, and Rock Ridge's names and modes for Linux
};

struct ArchiveOptions {
  ArchiveFormat format = ArchiveFormat::kTar;
  std::int64_t time_unix = 0;  // of all entries, and of an image's volume
  std::string label = {};      // of an image's volume
  unsigned mode = 0644;        // of the archive itself
  bool flush = true;           // false: the caller flushes the folder that the archive is made in
  // The name of the first entry of what may be replaced; folders end in '/'. None: whatever it is.
  std::vector<std::string> first_entries = {};
};

// Errors: usage (a label that a volume of this kind can't have unchanged).
Result<void> CheckVolumeLabel(std::string_view label);

// Errors: usage (a time that some format can't hold).
Result<void> CheckArchiveTime(std::int64_t time_unix);

// Errors: size-limit (more files and folders than the format can hold).
Result<void> CheckArchiveEntries(ArchiveFormat format, std::size_t entries);

// Errors: size-limit (Joliet, which an image of a drive has, would cut the name off, or has no such character).
Result<void> CheckJolietPath(std::string_view path);

// Begins an archive under a temporary name beside `path`; Finish() renames it into place. Missing parents are made, and
// removed again on failure. Errors: target (a file there that is not such an archive of ours; no folder to write in;
// libarchive can't be loaded), those of the two checks.
Result<std::unique_ptr<FileSink>> MakeArchive(const std::string& path, const ArchiveOptions& options);

// The same as bytes that are appended to `memory`, which outlives the sink; kTar and kTgz alone. Errors: target
// (libarchive can't be loaded), usage (the time).
Result<std::unique_ptr<FileSink>> MakeArchiveIn(std::string& memory, const ArchiveOptions& options);

// Writes the same entries as files of a folder, which must be new or empty. Errors: target.
Result<std::unique_ptr<FileSink>> MakeFolder(const std::string& path, std::int64_t time_unix);

// A folder of archives, which appears when all of them are complete.
class ArchiveFolder {
 public:
  ArchiveFolder() = default;
  ArchiveFolder(const ArchiveFolder&) = delete;
  ArchiveFolder& operator=(const ArchiveFolder&) = delete;
  virtual ~ArchiveFolder() = default;  // without Finish() nothing stays

  // Errors: those of MakeArchive().
  virtual Result<std::unique_ptr<FileSink>> Make(const std::string& name, const ArchiveOptions& options) = 0;
  virtual Result<void> Finish() = 0;
};

// It must be new or empty. Errors: target.
Result<std::unique_ptr<ArchiveFolder>> MakeArchiveFolder(const std::string& path, std::int64_t time_unix);

}  // namespace prov::images
