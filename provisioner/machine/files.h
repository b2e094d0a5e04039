// Port: single files of a machine that other programs read, such as containerd's hosts.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

// Paths are full paths of Windows with backslashes (`C:\folder\file`), without "." and "..". No link is followed. A
// path that others than administrators can redirect, and a file that they can change, is refused (owner). Everybody may
// read what is made, and administrators alone can change it; what is replaced keeps its permissions. Errors of all
// members: owner, io, and in an image target (a drive that is not the image's) and link.
class Files {
 public:
  virtual ~Files() = default;

  // nullopt: it is absent. Errors: too-large.
  virtual Result<std::optional<std::string>> ReadFile(std::string_view path, std::uint64_t limit) = 0;
  // Replaces or makes the file and missing folders: at any moment it has the old or the new content.
  virtual Result<void> PutFile(std::string_view path, std::string_view bytes) = 0;
  virtual Result<void> RemoveFile(std::string_view path) = 0;  // nothing to do if it is absent
  virtual Result<bool> FolderExists(std::string_view path) = 0;
  virtual Result<void> RemoveFolderIfEmpty(std::string_view path) = 0;  // nothing to do if it is absent or not empty
};

// Of a system that has no such files. Errors: target.
Files& AbsentFiles();

}  // namespace prov::machine
