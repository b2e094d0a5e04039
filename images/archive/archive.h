// Archives and images of drives, written by libarchive in one pass. The same entries and options give the same bytes,
// independent of the current time, time zone and path.
#pragma once

#include <cstdint>
#include <functional>
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
  kIso,  // ISO 9660, with Joliet names for Windows, and Rock Ridge names and modes for Linux
};

struct ArchiveOptions {
  ArchiveFormat format = ArchiveFormat::kTar;
  std::int64_t time_unix = 0;  // of all entries, and of an image's volume
  std::string label = {};      // of an image's volume
  unsigned mode = 0644;        // of the archive itself
  bool flush = true;           // false: the caller flushes the folder that the archive is made in
  // An existing file may be replaced if its first entry has one of these names; folders end in '/'. Empty: any name.
  std::vector<std::string> first_entries = {};
};

// Errors: usage (a label that this kind of volume can't hold unchanged).
Result<void> CheckVolumeLabel(std::string_view label);

// Errors: usage (a time that some format can't hold).
Result<void> CheckArchiveTime(std::int64_t time_unix);

// Errors: size-limit (Joliet, which images of drives use, would truncate the name, or lacks one of its characters).
Result<void> CheckJolietPath(std::string_view path);

// Begins an archive under a temporary name beside `path`; Finish() renames it into place. Makes missing parents, and
// removes them again on failure. Errors: target (another file is there that is not such an archive of ours; no folder
// to write in; libarchive can't be loaded), those of the two checks.
Result<std::unique_ptr<FileSink>> MakeArchive(const std::string& path, const ArchiveOptions& options);

// The same, appended to `memory`, which must outlive the sink; only kTar and kTgz. Errors: target (libarchive can't be
// loaded), usage (the time).
Result<std::unique_ptr<FileSink>> MakeArchiveIn(std::string& memory, const ArchiveOptions& options);

// Checks that an existing folder may be replaced.
using MayReplace = std::function<Result<void>(const std::string& folder)>;

// Writes the entries as files of a folder, which must be new or empty, unless `may_replace` accepts it: then it stays
// until its successor is complete. Errors: target; those of `may_replace`.
Result<std::unique_ptr<FileSink>> MakeFolder(const std::string& path, std::int64_t time_unix,
                                             const MayReplace& may_replace = {});

// A folder of archives. It appears when all of them are complete.
class ArchiveFolder {
 public:
  ArchiveFolder() = default;
  ArchiveFolder(const ArchiveFolder&) = delete;
  ArchiveFolder& operator=(const ArchiveFolder&) = delete;
  virtual ~ArchiveFolder() = default;  // removes everything unless Finish() was called

  // Errors: those of MakeArchive().
  virtual Result<std::unique_ptr<FileSink>> Make(const std::string& name, const ArchiveOptions& options) = 0;
  virtual Result<void> Finish() = 0;
};

// The folder must be new or hold only files that MakeArchive() would replace with these options; it stays until its
// successor is complete. Errors: target.
Result<std::unique_ptr<ArchiveFolder>> MakeArchiveFolder(const std::string& path, const ArchiveOptions& options);

}  // namespace prov::images
