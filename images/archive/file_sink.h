// The target of rendered files: an archive, an image of a drive, or a folder. Written completely or not at all.
#pragma once

#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

class FileSink {
 public:
  FileSink() = default;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  virtual ~FileSink() = default;  // removes everything unless Finish() was called

  // Adds a file beneath the root, with the folders above it. Paths must be safe (base/relative_path.h) and unique, and
  // come in byte order. `mode` as for chmod(2). Errors: size-limit (a name that the format can't hold); io.
  virtual Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) = 0;

  // Puts the result into place. Nothing may be added afterwards. Errors: io, target.
  virtual Result<void> Finish() = 0;
};

}  // namespace prov::images
