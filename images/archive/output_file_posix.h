// A file that is written beside its place and renamed into it when it is complete.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::images {

// Folders that were made for an output; those that are empty go with it unless Keep() is called.
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

// What is at `path` already must be a file whose first bytes (as many as `head`, or all) `ours` says yes to: a mistyped
// name must not cost somebody's file. Errors: target.
Result<void> CheckReplaceable(const std::string& path, std::size_t head,
                              const std::function<bool(std::string_view)>& ours);

class OutputFile {
 public:
  // Errors: target (no file can be made there).
  static Result<std::unique_ptr<OutputFile>> Create(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  Result<void> Write(std::string_view bytes);
  // Changes what was written, in place; only the pages that are touched take memory.
  Result<void> Edit(const std::function<Result<void>(std::span<char>)>& change);
  // Renames into place. `flush`: after a crash the whole file is there or none.
  Result<void> Keep(unsigned mode, bool flush);

  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string temporary, int fd, MadeParents parents);

  std::string path_;
  std::string temporary_;
  int fd_;
  MadeParents parents_;
};

}  // namespace prov::images
