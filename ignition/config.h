// An Ignition config (spec 2.x or 3.x) with all its references resolved, as files and systemd units.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::ignition {

struct FileContents {
  std::string path;
  std::string bytes;     // decoded, decompressed and verified, with append entries
  unsigned mode = 0644;  // permission bits and special bits; 0644 if the config has none
  std::string where;     // JSON path of the entry, e.g. $.spec.config.storage.files[3]
};

struct DropIn {
  std::string name;
  std::string contents;
};

struct Unit {
  std::string name;
  std::string contents;  // "" if the config has none (a unit that only has drop-ins, or is only enabled)
  std::vector<DropIn> drop_ins;
};

struct MergedConfig;  // the implementation's view

// Owns the documents that it was read from. ReadConfig() makes it and verifies types, paths and duplicates of all
// entries; contents are decoded on request. Movable. Uses the fetcher that ReadConfig() was given, which must outlive
// it.
class Config {
 public:
  explicit Config(std::unique_ptr<const MergedConfig> merged);
  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

  // ignition.version as written, e.g. "3.4.0"; with `replace`, that of the replacing config.
  const std::string& version() const;

  // The config's contents for the file at `path` (absolute). nullopt: the config makes no statement (no entry, or an
  // entry of spec 3.x without contents, which leaves an existing file unchanged). Errors about the entry have a `where`
  // such as "/etc/x ($.storage.files[3].contents.source)". Errors: also link (a link is at the path or above it),
  // directory.
  Result<std::optional<FileContents>> Read(std::string_view path) const;

  // The systemd units with their drop-ins, in order. Units with the same name are merged.
  std::vector<Unit> Units() const;

  // The paths of storage.files, in order, each once.
  std::vector<std::string> FilePaths() const;

 private:
  std::unique_ptr<const MergedConfig> merged_;
};

}  // namespace prov::ignition
