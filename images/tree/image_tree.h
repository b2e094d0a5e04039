// Port: the files of a Windows installation that does not run, beneath one root that no path can leave. Adapters: a
// folder (a mounted or extracted image), an image of a WIM file, memory (tests).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// kPlan: reads like kRead, but also refuses what kWrite refuses. It does not refuse an image that another run works on,
// or a volume that is mounted read-only.
enum class TreeAccess { kRead, kPlan, kWrite };

// The owner and the rights of a file. kPlain: ours; Users may read and execute. kSecret: ours; SYSTEM and
// Administrators only. kEdited: a file of somebody else, of which only the contents change; if it does not exist yet,
// kPlain. Descriptors are set if the medium has them (CanProtect), and modes if the writing system has them.
enum class FileUse { kPlain, kSecret, kEdited };

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
  // Whether a file or folder that is there has the owner and the rights that it would be made with for `use`. True
  // where the medium has neither, and for kEdited.
  virtual Result<bool> IsMadeFor(std::string_view path, FileUse use) = 0;

  // Replaces or makes a file, and folders that are missing; old or new at any moment. Before there are contents in it,
  // a file of ours has owner and rights of `use`, whatever was in its place; one that is edited keeps owner, mode,
  // attributes and descriptor. New folders are made for `use`.
  virtual Result<void> Write(std::string_view path, std::string_view bytes, FileUse use) = 0;
  // Gives an existing folder the owner and rights of `use`; its contents keep their own. Absent: nothing to do.
  virtual Result<void> SecureFolder(std::string_view path, FileUse use) = 0;
  virtual Result<void> Remove(std::string_view path) = 0;               // a file; absent: nothing to do
  virtual Result<void> RemoveFolderIfEmpty(std::string_view path) = 0;  // absent or in use: nothing to do

  // What a write that was cut short left in a folder ("": the root), known by its name: how many bytes it takes; and
  // removing it. nullopt, or nothing to do: there is none, as always where writes become durable together.
  virtual Result<std::optional<std::uint64_t>> Leftover(std::string_view folder) = 0;
  virtual Result<void> RemoveLeftover(std::string_view folder) = 0;
  // The bytes that can be written on the volume of the image.
  virtual Result<std::uint64_t> FreeBytes() = 0;

  // Whether each Write is durable when it returns (a folder), or all become durable together in Commit (a WIM).
  virtual bool WritesTogether() const = 0;
  virtual Result<void> Commit() = 0;
};

}  // namespace prov::images
