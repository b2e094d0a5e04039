// Writes a file under a temporary name beside its target, and renames it into place when it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/archive/archive.h"
#include "provisioner/base/beside_posix.h"
#include "provisioner/base/result.h"

namespace prov::images {

// Folders that were made for an output. The destructor removes the empty ones unless Keep() was called.
class MadeParents {
 public:
  // Errors: target.
  static Result<MadeParents> Make(const std::filesystem::path& folder);
  MadeParents(MadeParents&&) = default;
  MadeParents& operator=(MadeParents&&) = delete;
  ~MadeParents();
  void Keep() { made_.clear(); }

 private:
  explicit MadeParents(std::vector<std::filesystem::path> made) : made_(std::move(made)) {}
  std::vector<std::filesystem::path> made_;  // innermost first
};

// Sets the times of a file or folder, and its mode (as OutputMode takes it). Errors: io.
Result<void> SetTime(const std::filesystem::path& path, std::int64_t time_unix);
Result<void> SetModeAndTime(const std::filesystem::path& path, unsigned mode, std::int64_t time_unix);

// Checks that an existing file at `path` may be replaced: `ours` must return true for its first `head` bytes (or all),
// so that a mistyped name does not overwrite another file. Errors: target.
Result<void> CheckReplaceable(const std::string& path, std::size_t head,
                              const std::function<bool(std::string_view)>& ours);

// The same for the archive that MakeArchive() would make there.
Result<void> CheckReplaceableArchive(const std::string& path, const ArchiveOptions& options);

// Whether to look for leftovers beside an output. kNothing: in a folder of new files, of which there may be thousands.
enum class Beside { kAnything, kNothing };

class OutputFile {
 public:
  // Errors: target (no file can be made there).
  static Result<std::unique_ptr<OutputFile>> Create(const std::string& path, Beside beside = Beside::kAnything);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  Result<void> Write(std::string_view bytes);
  // Changes written bytes in place; only the touched pages take memory.
  Result<void> Edit(const std::function<Result<void>(std::span<char>)>& change);
  // Renames the file into place. `flush`: after a crash there is the complete file or none.
  Result<void> Keep(unsigned mode, bool flush);

  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string temporary, posix::Descriptor file, MadeParents parents);

  std::string path_;
  std::string temporary_;
  posix::Descriptor file_;
  MadeParents parents_;
};

}  // namespace prov::images
