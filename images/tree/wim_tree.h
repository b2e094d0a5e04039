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

// Bytes that are ready so far, and in all. An error ends the work, as one of writing would.
using WimProgress = std::function<Result<void>(std::uint64_t done, std::uint64_t total)>;

// One WIM file. Writes are held in memory until Commit, which appends them to the file and then changes its header, in
// one write: whoever opens the file sees all images as they were, or all as they shall be. What is no longer referred
// to stays in the file as a hole, until Optimize.
class WimFile {
 public:
  // kWrite holds a lock for as long as the object lives, and takes away what a killed Optimize left. Refused (target):
  // what is no WIM, split WIMs, solid ones (ESD), encrypted and pipable ones; for kWrite and kPlan also those that are
  // marked read-only or that another program has not finished. Errors: target, lock, io.
  static Result<std::unique_ptr<WimFile>> Open(const std::string& file, TreeAccess access);

  virtual ~WimFile() = default;

  virtual const std::vector<WimImage>& Images() const = 0;

  // The files of one image; one tree for each. It refers to this object. Its Commit is the one below: it commits what
  // all trees of this file hold. Errors: target (there is no such image, no Windows in it), io.
  virtual Result<std::unique_ptr<ImageTree>> Tree(int index) = 0;

  // What Commit checks of the file before it changes it; reads all of a file that has a table of digests. Errors:
  // target (it is not as that table says).
  virtual Result<void> CheckIntegrity() = 0;

  // Where it fails before the header is written, the file ends where what is used of it ends.
  virtual Result<void> Commit(const WimProgress& progress) = 0;

  // Bytes of the file, as it was last committed, that nothing refers to: old contents, passwords among them. Errors:
  // io.
  virtual Result<std::uint64_t> UnusedBytes() const = 0;
  // Puts a file without them in this one's place, in one rename: each blob as it is stored, a table of digests where
  // there was one. Behind Commit only. Errors: io, target (no room, damaged, another name of the file
  // keeps the old one), and the file is as it was.
  virtual Result<void> Optimize(const WimProgress& progress) = 0;
};

// One image of a file that the tree owns.
Result<std::unique_ptr<ImageTree>> OpenWimTree(const std::string& file, int index, TreeAccess access);

}  // namespace prov::images
