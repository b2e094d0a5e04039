// The files of the images in a WIM file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

struct WimImage {
  int index = 0;  // from 1, as DISM counts
  std::string name;
};

// Called with the finished and the total number of bytes. An error ends the work like a write error.
using WimProgress = std::function<Result<void>(std::uint64_t done, std::uint64_t total)>;

// A WIM file. Keeps writes in memory until Commit, which appends them to the file and then changes its header in one
// write: readers see all images either unchanged or with all changes. Unreferenced data stays in the file
// (UnusedBytes).
class WimFile {
 public:
  // kWrite holds a lock as long as the object or one of its trees exists. Refuses (target): other files, split WIMs,
  // solid ones (ESD), encrypted and pipable ones; for kWrite and kPlan also those that are marked read-only or that
  // another program has not finished. `now_unix` is the time of what is changed. Errors: target, lock, io.
  static Result<std::shared_ptr<WimFile>> Open(const std::string& file, TreeAccess access, std::int64_t now_unix);

  virtual ~WimFile() = default;

  virtual const std::vector<WimImage>& Images() const = 0;

  // The tree of one image; at most one for each. It keeps the file open. Its Commit is the one below, which commits all
  // trees of this file. Errors: target (no such image, or no Windows in it), io.
  virtual Result<std::unique_ptr<ImageTree>> Tree(int index) = 0;

  // The checks that Commit makes before it changes the file. Reads the whole file if it has a table of digests. Errors:
  // target (the file does not match that table).
  virtual Result<void> CheckIntegrity() = 0;

  // If it fails before the header is written, it truncates the file to the end of the used data.
  virtual Result<void> Commit(const WimProgress& progress) = 0;

  // The number of unreferenced bytes in the file, as last committed: old contents, which may include passwords. Errors:
  // io.
  virtual Result<std::uint64_t> UnusedBytes() const = 0;
};

}  // namespace prov::images
