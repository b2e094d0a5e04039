// The target of rendered files: an archive, the image of a drive, a folder. Written as a whole or not at all.
#pragma once

#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

class FileSink {
 public:
  FileSink() = default;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  virtual ~FileSink() = default;  // without Finish() nothing stays

  // Adds a file beneath the root, with the folders above it. Paths are safe (base/relative_path.h), each occurs once,
  // and they come in byte order. `mode` as chmod(2) has it. Errors: size-limit (a name that the format can't hold); io.
  virtual Result<void> Add(std::string_view path, std::string_view bytes, unsigned mode) = 0;

  // Puts the whole into place. Nothing may be added afterwards. Errors: io, target.
  virtual Result<void> Finish() = 0;
};

}  // namespace prov::images
