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
  std::string bytes;     // decoded, decompressed, verified; append entries included
  unsigned mode = 0644;  // permission bits, special bits included; 0644 when the config gives none
  std::string where;     // JSON path of the entry, e.g. $.spec.config.storage.files[3]
};

struct DropIn {
  std::string name;
  std::string contents;
  std::string where;
};

struct Unit {
  std::string name;
  std::string contents;  // "" when the config gives none (a unit that only has drop-ins, or is only enabled)
  std::vector<DropIn> drop_ins;
  std::string where;
};

struct MergedConfig;  // the implementation's view

// Owns the documents it was read from. Types, paths and duplicates of all entries are verified when it is made;
// contents are decoded only on request. Movable; made by ReadDocument(). Uses the fetcher given there, which must
// outlive it.
class Config {
 public:
  explicit Config(std::unique_ptr<const MergedConfig> merged);
  Config(Config&&) noexcept;
  Config& operator=(Config&&) noexcept;
  ~Config();

  // ignition.version as written, e.g. "3.4.0"; of the replacing config where there is `replace`.
  const std::string& version() const;

  // The contents that the config gives the file at `path` (absolute). nullopt: it makes no statement (no entry, or an
  // entry of spec 3.x without contents, which leaves an existing file as it is). Errors about the entry have a `where`
  // such as "/etc/x ($.storage.files[3].contents.source)". A path that is, or lies below, a link: link; a directory:
  // directory.
  Result<std::optional<FileContents>> Read(std::string_view path) const;

  // systemd units with their drop-ins, in order; those of the same name are one.
  Result<std::vector<Unit>> Units() const;

  // Paths of storage.files, in order, each once.
  std::vector<std::string> FilePaths() const;

 private:
  std::unique_ptr<const MergedConfig> merged_;
};

}  // namespace prov::ignition
