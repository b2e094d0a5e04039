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

// The bytes that are done so far, and all bytes. An error ends the work, like a write error.
using WimProgress = std::function<Result<void>(std::uint64_t done, std::uint64_t total)>;

// One WIM file. Writes are kept in memory until Commit, which appends them to the file and then changes its header in
// one write: readers see all images either as they were, or with all changes. Data that is no longer referred to stays
// in the file (UnusedBytes).
class WimFile {
 public:
  // kWrite holds a lock for as long as the object lives. Refused (target): what is no WIM, split WIMs, solid ones
  // (ESD), encrypted and pipable ones; for kWrite and kPlan also those that are marked read-only or that another
  // program has not finished. Errors: target, lock, io.
  static Result<std::unique_ptr<WimFile>> Open(const std::string& file, TreeAccess access);

  virtual ~WimFile() = default;

  virtual const std::vector<WimImage>& Images() const = 0;

  // The files of one image; one tree for each. It refers to this object. Its Commit is the one below: it commits what
  // all trees of this file hold. Errors: target (there is no such image, no Windows in it), io.
  virtual Result<std::unique_ptr<ImageTree>> Tree(int index) = 0;

  // The checks that Commit makes before it changes the file; reads all of a file that has a table of digests. Errors:
  // target (it does not match that table).
  virtual Result<void> CheckIntegrity() = 0;

  // If it fails before the header is written, the file is cut back to the end of the data in use.
  virtual Result<void> Commit(const WimProgress& progress) = 0;

  // The bytes of the file, as last committed, that nothing refers to: old contents, which may include passwords.
  // Errors: io.
  virtual Result<std::uint64_t> UnusedBytes() const = 0;
};

// One image of a file that the tree owns.
Result<std::unique_ptr<ImageTree>> OpenWimTree(const std::string& file, int index, TreeAccess access);

}  // namespace prov::images
