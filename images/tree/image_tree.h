// Port: the files of a Windows installation that does not run, beneath one root that nothing leads out of. Adapters: a
// folder (a mounted or extracted image), an image of a WIM file, memory (tests).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::images {

// kPlan: reads like kRead, but refuses what kWrite refuses, except that another run works on it or that the volume is
// mounted read-only.
enum class TreeAccess { kRead, kPlan, kWrite };

// Whose a file is, and who may use it. kPlain: ours; Users may read and execute. kSecret: ours; SYSTEM and
// Administrators only. kEdited: somebody else's, of which we change the contents alone; where there is none, kPlain.
// Descriptors hold where the medium has them (CanProtect), modes of the system that writes where it has those.
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
  // Gives a folder that is there owner and rights of `use`; what is in it keeps its own. Absent: nothing to do.
  virtual Result<void> SecureFolder(std::string_view path, FileUse use) = 0;
  virtual Result<void> Remove(std::string_view path) = 0;               // a file; absent: nothing to do
  virtual Result<void> RemoveFolderIfEmpty(std::string_view path) = 0;  // absent or in use: nothing to do

  // What a write that was cut short left in a folder ("": the root), known by its name: how many bytes it takes; and
  // removing it. nullopt, or nothing to do: there is none, as always where writes become durable together.
  virtual Result<std::optional<std::uint64_t>> Leftover(std::string_view folder) = 0;
  virtual Result<void> RemoveLeftover(std::string_view folder) = 0;
  // Bytes that can be written where the image is.
  virtual Result<std::uint64_t> FreeBytes() = 0;

  // Whether each Write is durable when it returns (a folder), or all of them become so together in Commit (a WIM).
  virtual bool WritesTogether() const = 0;
  virtual Result<void> Commit() = 0;
};

}  // namespace prov::images
