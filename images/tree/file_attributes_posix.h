// The attributes of a file besides its contents: owner, mode, extended attributes; on NTFS also the Windows security
// descriptor and file attributes, which ntfs-3g exposes as extended attributes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// Fails on FAT and exFAT: they store neither owners nor permissions, so every user could read secrets. `type`: of a
// file system, as in statfs(2). Errors: target.
Result<void> RefuseFat(std::uint64_t type, const std::string& where);

// Whether Windows' security descriptors can be read, and therefore also set, there.
bool HasDescriptors(int fd);

// nullopt: the file has none.
Result<std::optional<std::string>> ReadDescriptor(int fd, const std::string& where);

// Copies the attributes of another file. Errors: io (an attribute could not be copied).
Result<void> CopyAttributes(int from, int to, const std::string& where);

enum class OwnKind { kFile, kFolder };
// The access rights that the image's file system has: Windows' descriptors, or else owners. The owner of the image is
// trusted, besides the account that runs this.
struct Rights {
  bool has_descriptors = false;
  uid_t image_owner = 0;
};
// Restricts access to a new file or folder according to `use`, before it has contents.
Result<void> SetAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where);
// The same for a folder that may have another owner.
Result<void> TakeOverFolder(int fd, FileUse use, const Rights& rights, const std::string& where);
// Whether the file or folder has the attributes that these two functions set.
Result<bool> HasAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where);

}  // namespace prov::images
