// Port: single files of a machine that other programs read, such as containerd's hosts.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::machine {

// What becomes of the permissions of a file that is written. kKept: what is replaced keeps its own, and a new one is
// for everybody to read. kClosed: what not everybody may read keeps its own, and all others are for SYSTEM and
// administrators alone; an image without descriptors has only these.
enum class FileAccess { kKept, kClosed };

// Paths are full paths of Windows with backslashes (`C:\folder\file`), without "." and "..". No link is followed. A
// path that others than administrators can redirect, and a file that they can change, is refused (owner).
// Administrators alone can change what is made. Errors of all members: owner, io, and in an image target (a drive that
// is not the image's) and link.
class Files {
 public:
  virtual ~Files() = default;

  // nullopt: it is absent. Errors: too-large.
  virtual Result<std::optional<std::string>> ReadFile(std::string_view path, std::uint64_t limit) = 0;
  // Whether everybody may read it. False: it is absent, or that is not known.
  virtual Result<bool> IsForEverybody(std::string_view path) = 0;
  // Replaces or makes the file and missing folders: at any moment it has the old or the new content, and who may not
  // read the new one afterwards can't read it before, either.
  virtual Result<void> PutFile(std::string_view path, std::string_view bytes, FileAccess access) = 0;
  virtual Result<void> RemoveFile(std::string_view path) = 0;  // nothing to do if it is absent
  virtual Result<bool> FolderExists(std::string_view path) = 0;
  virtual Result<void> RemoveFolderIfEmpty(std::string_view path) = 0;  // nothing to do if it is absent or not empty
};

// One error of the code owner for what is refused on the way to a file, so that all of it can be mended at once.
// `found`: at least one, in the order of the way, each with its place and remedy.
std::unexpected<Error> RefuseWay(const std::vector<Error>& found);

// Of a system that has no such files. Errors: target.
Files& AbsentFiles();

}  // namespace prov::machine
