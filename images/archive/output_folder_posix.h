// A folder that is filled beside its place and renamed into it when it is complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "images/archive/output_file_posix.h"
#include "provisioner/base/result.h"

namespace prov::images {

class OutputFolder {
 public:
  // Errors: target (something is there that is no empty folder; no folder can be made there).
  static Result<std::unique_ptr<OutputFolder>> Create(const std::string& path);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  const std::filesystem::path& inside() const { return temporary_; }
  const std::filesystem::path& path() const { return path_; }

  // Makes all of it durable and renames it into place.
  Result<void> Keep(std::int64_t time_unix);

 private:
  OutputFolder(std::filesystem::path path, std::filesystem::path temporary, Held held, MadeParents parents)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        held_(std::move(held)),
        parents_(std::move(parents)) {}

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Held held_;
  MadeParents parents_;
};

// The mode and times of a file or folder. Errors: io.
Result<void> SetModeAndTime(const std::filesystem::path& path, unsigned mode, std::int64_t time_unix);

}  // namespace prov::images
