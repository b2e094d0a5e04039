// Port: the files of a Windows installation that does not run, beneath one root that nothing leads out of. Adapters: a
// folder (a mounted or extracted image), an image of a WIM file, memory (tests).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

enum class TreeAccess { kRead, kWrite };

// Who may read what is written. kSecret: SYSTEM and Administrators only. It holds where the medium can say so
// (CanProtect).
enum class FileUse { kPlain, kSecret };

// Paths are relative to the root, '/' between names, in the spelling of the documentation
// ("Windows/System32/config/SYSTEM"); each name is found without case, as Windows would. Two names that differ in case
// only, a link or reparse point on the way, and anything but files and folders are refused (link).
// A name that is no name on Windows (empty, ".", "..", with a control character or one of \ : * ? " < > |) is refused
// (link). Errors: link, io, target (read-only, no space, a folder where a file is wanted), too-large.
class ImageTree {
 public:
  virtual ~ImageTree() = default;

  virtual std::string Name() const = 0;  // for reports: "image /mnt/win", "image install.wim:2"
  virtual bool CanProtect() const = 0;   // whether files and folders can be made for SYSTEM and Administrators only

  virtual Result<bool> IsFolder(std::string_view path) = 0;
  virtual Result<bool> IsFile(std::string_view path) = 0;
  // The whole file, or the first bytes of one that may be of any size. Absent: nullopt.
  virtual Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) = 0;
  virtual Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) = 0;

  // Who may use a file or folder: its security descriptor, self-relative, with owner and DACL. nullopt: absent, or it
  // has none.
  virtual Result<std::optional<std::string>> Security(std::string_view path) = 0;

  // Replaces or makes a file, and folders that are missing; old or new at any moment. What replaces a file keeps its
  // owner, mode, attributes and descriptor, whatever `use` says. New folders are made for `use`.
  virtual Result<void> Write(std::string_view path, std::string_view bytes, FileUse use) = 0;
  virtual Result<void> Remove(std::string_view path) = 0;               // a file; absent: nothing to do
  virtual Result<void> RemoveFolderIfEmpty(std::string_view path) = 0;  // absent or in use: nothing to do

  // Whether each Write is durable when it returns (a folder), or all of them become so together in Commit (a WIM).
  virtual bool WritesTogether() const = 0;
  virtual Result<void> Commit() = 0;
};

}  // namespace prov::images
