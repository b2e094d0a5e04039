// Port: the files of a Windows installation that is not running, beneath one root that no path can leave. Adapters: a
// folder (a mounted or extracted image), an image of a WIM file, memory (tests).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// kPlan: reads like kRead, but also refuses what kWrite refuses, except an image that another run works on and a volume
// that is mounted read-only.
enum class TreeAccess { kRead, kPlan, kWrite };

// The owner and the permissions of a file. kPlain: ours; Users may read and execute. kSecret: ours; SYSTEM and
// Administrators only. kEdited: a file of others, of which only the contents change; a new one is kPlain. Sets
// descriptors if the medium has them (CanProtect), and modes if the writing system has them.
enum class FileUse { kPlain, kSecret, kEdited };

// Paths are relative to the root, with '/' between names, spelled as in the documentation
// ("Windows/System32/config/SYSTEM"); each name is found without case, as in Windows. Refuses (link): two names that
// differ only in case, a link or reparse point on the way, anything but files and folders, and a name that is invalid
// on Windows (empty, ".", "..", with a control character or one of \ : * ? " < > |). Errors: link, io, target
// (read-only, no space, a folder in place of a file), too-large.
class ImageTree {
 public:
  virtual ~ImageTree() = default;

  virtual std::string Name() const = 0;  // for reports: "image /mnt/win", "image install.wim:2"
  virtual bool CanProtect() const = 0;   // whether files and folders can be restricted to SYSTEM and Administrators

  virtual Result<bool> IsFolder(std::string_view path) = 0;
  virtual Result<bool> IsFile(std::string_view path) = 0;
  // Reads the whole file, or the first bytes of a file of any size. nullopt if it is absent.
  virtual Result<std::optional<std::string>> Read(std::string_view path, std::uint64_t limit) = 0;
  virtual Result<std::optional<std::string>> ReadStart(std::string_view path, std::size_t most) = 0;

  // The self-relative security descriptor of a file or folder, with owner and DACL. nullopt: it is absent, or has none.
  virtual Result<std::optional<std::string>> Security(std::string_view path) = 0;
  // Whether an existing file or folder has the owner and the permissions of a new one for `use`. True if the medium
  // stores neither, and for kEdited.
  virtual Result<bool> IsMadeFor(std::string_view path, FileUse use) = 0;

  // Replaces or makes a file, and makes missing folders for `use`; at any moment the old or the new file is there. A
  // file of ours has the owner and permissions of `use` before it has contents, whatever it replaces. An edited one
  // keeps owner, mode, attributes and descriptor.
  virtual Result<void> Write(std::string_view path, std::string_view bytes, FileUse use) = 0;
  // Gives an existing folder the owner and permissions of `use`; its contents keep their own. Does nothing if it is
  // absent.
  virtual Result<void> SecureFolder(std::string_view path, FileUse use) = 0;
  virtual Result<void> Remove(std::string_view path) = 0;               // removes a file; nothing to do if it is absent
  virtual Result<void> RemoveFolderIfEmpty(std::string_view path) = 0;  // nothing to do if it is absent or not empty

  // Removes what an interrupted write left in a folder ("": the root), recognised by its name. Returns whether there
  // was any; never if writes become durable together.
  virtual Result<bool> RemoveLeftover(std::string_view folder) = 0;

  // Whether writes become durable together in Commit (a WIM), or each when Write returns (a folder).
  virtual bool WritesTogether() const = 0;
  virtual Result<void> Commit() = 0;
};

}  // namespace prov::images
